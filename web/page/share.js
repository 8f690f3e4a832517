// Hands a picture to somebody: by what the system offers for sharing, or else by the clipboard, or else as a file.

// picture: a promise of a PNG. Returns what there is to say.
export async function share(picture, name) {
  const fileOf = (blob) => new File([blob], name, {type: 'image/png'});
  if (navigator.canShare?.({files: [fileOf(new Blob())]})) {
    const file = fileOf(await picture);
    try {
      await navigator.share({files: [file]});
      return '';
    } catch (error) {
      if (error.name === 'AbortError') return '';  // somebody has changed their mind
    }
  }
  try {
    // The promise itself: some browsers copy nothing once the press of the button is over.
    await navigator.clipboard.write([new ClipboardItem({'image/png': picture})]);
    return 'The picture is copied.';
  } catch {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await picture);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);  // it is read after the click
    return `The picture is saved as ${name}.`;
  }
}
