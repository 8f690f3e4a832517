#!/usr/bin/env python3
"""The C player on two microcontrollers, in QEMU, gives this machine's moves and logits, to the last bit.

    cortex.py ROOT ANSWERS [NETWORK...]

ANSWERS is the program `answers` (answers.cpp). Prints flash, memory and instructions of a move. A Cortex-M0+ is compiled for
and runs on the board of a Cortex-M4, which has all its instructions.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from same_answers import FLAGS, NETWORKS, output, require_equal

PROCESSORS = {"cortex-m4": "-mcpu=cortex-m4", "cortex-m0plus": "-mcpu=cortex-m0plus"}
BARE = ["-mthumb", "-ffreestanding", "-nostdlib", "-ffunction-sections", "-Wl,--gc-sections"]
# Virtual time passes by instructions, a nanosecond each, and SysTick has 25 MHz.
QEMU = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none",
        "-chardev", "stdio,id=said", "-semihosting-config", "enable=on,target=native,chardev=said", "-icount", "shift=0", "-kernel"]
NS_A_TICK = 40
POSITIONS = 40


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    root, answers = pathlib.Path(sys.argv[1]), sys.argv[2]
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        if not shutil.which(program):
            print(f"{program} is not installed (packages gcc-arm-none-eabi, qemu-system-arm)")
            sys.exit(77)
    for name in sys.argv[3:] or ("small", "squares"):
        header = output(answers, "header", root / "checkpoints" / name / "model.light")
        positions = output(answers, "positions", NETWORKS[name], POSITIONS)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "player.h").write_text(header)
            (folder / "main.c").write_text((root / "tests/support/c_player_main.c").read_text())
            (folder / "positions.h").write_text(
                "static const char *const positions[] = {%s};\n" % ",".join(f'"{p}"' for p in positions.splitlines()))
            output("gcc", *FLAGS, "-o", folder / "here", folder / "main.c")
            here = output(folder / "here", stdin=positions)
            for processor, option in PROCESSORS.items():
                board, source = folder / processor, root / "tests/processors/cortex"
                output("arm-none-eabi-gcc", *FLAGS, option, *BARE, f"-I{folder}", "-T", source / "board.ld", "-o", board,
                       source / "board.c", "-lgcc")
                there = output(*QEMU, board)
                *lines, last = there.splitlines()
                require_equal(f"{name} on {processor}", here, "\n".join(lines))
                memory, ticks, most = (int(word) for word in last.split()[1::2])
                text = int(output("arm-none-eabi-size", board).splitlines()[1].split()[0])
                print(f"{name} on {processor}: flash {text} bytes, memory {memory}, instructions of a move "
                      f"{ticks * NS_A_TICK / 1e6:.1f} million, the most {most * NS_A_TICK / 1e6:.1f}")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as e:
        sys.exit(f"{' '.join(e.cmd)}: status {e.returncode}\n{e.stdout[-2000:]}\n{e.stderr}")
