/** A passage of one version of a document: `knowledge:<document>#<version>.<passage>`. */
export interface Citation {
  readonly document: string;
  readonly version: number;
  readonly number: number;
}

/** `2.7`: the seventh passage of version 2. */
export function passageName({ version, number }: Pick<Citation, 'version' | 'number'>): string {
  return `${version}.${number}`;
}

export function citationText(citation: Citation): string {
  return `knowledge:${citation.document}#${passageName(citation)}`;
}

/** @returns undefined for what is no such name */
export function parsePassageName(name: string): { version: number; number: number } | undefined {
  const [, version, number] = /^([1-9]\d{0,8})\.([1-9]\d{0,8})$/.exec(name) ?? [];
  return version === undefined || number === undefined
    ? undefined
    : { version: Number(version), number: Number(number) };
}

/** @returns undefined for what is no citation */
export function parseCitation(text: string): Citation | undefined {
  const [, document, name = ''] = /^knowledge:([a-z0-9][a-z0-9._-]{0,79})#(\S+)$/.exec(text) ?? [];
  const passage = parsePassageName(name);
  return document === undefined || !passage ? undefined : { document, ...passage };
}
