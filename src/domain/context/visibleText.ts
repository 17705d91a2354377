const invisible = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;
// eslint-disable-next-line no-control-regex -- vertical tab and form feed break lines too
const lineBreaks = /\r\n|[\r\u000b\u000c\u0085\u2028\u2029]/g;

/**
 * The text as somebody sees it: every line break is `\n`, and what is invisible or turns the direction of reading is a
 * space, so that nothing hidden joins two words. Joiners stay, since scripts and emoji need them.
 */
export function visibleText(text: string): string {
  return text.replace(lineBreaks, '\n').replace(invisible, ' ');
}
