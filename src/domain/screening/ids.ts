/** Takes the place of an id, so that no number is read across it. Folding removes it from every input. */
export const barrier = '\uffff';

const uuid =
  /(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-z])/gi;

/** Ids that the provider or Countersign itself mints; a body of digits alone is none, and may be a card. */
const mintedId =
  /(?<![0-9a-z_])(?:re|pyr|ch|py|pi|cus|evt|txn|trr|tr|po|in|ii|sub|si|dp|du|req|acct|seti|cs|prod|price|run|rf|apr|mem|mdc)_(?:test_|live_)?(?=[0-9]{0,63}[a-z])[0-9a-z]{8,64}(?![0-9a-z])/gi;

const isoTime =
  /(?<![0-9a-z]|[0-9]-)(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9](?:[T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-][0-2][0-9]:?[0-5][0-9])?)?(?!-?[0-9a-z])/gi;

/** Covers ids and times in folded text, since their digits can look like card and account numbers by chance (R44). */
export function coverIds(folded: string): string {
  const cover = (id: string): string => barrier.repeat(id.length);
  return folded.replace(uuid, cover).replace(mintedId, cover).replace(isoTime, cover);
}
