// The rule sets in the page's words, by the engine's names; the first holds where none is named. What wins is for the engine
// to say.

import {kRuleSetRows} from './rule_sets.js';

const inWords = ({name, more}) => [name, {
  title: more ? `Lines or ${more}` : 'Lines',
  rule: `Four in a line${more ? ` or ${more}` : ''} that share anything. You choose the piece the other must place.`,
}];

export const kRuleSets = Object.fromEntries(kRuleSetRows.map(inWords));
export const kRules = Object.keys(kRuleSets);
