// The rule sets of the page, by the engine's names (env/notation.h); the first holds where none is named. What wins is for
// the engine to say.

export const kRuleSets = {
  lines: {
    title: 'Lines',
    rule: 'Four in a line that share anything. You choose the piece the other must place.',
    nothing: 'no line has',
  },
  squares: {
    title: 'Lines and squares',
    rule: 'Four in a line or a 2x2 square that share anything. You choose the piece the other must place.',
    nothing: 'no line or square has',
  },
};
export const kRules = Object.keys(kRuleSets);
