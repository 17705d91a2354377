/** For commands with which services and agents speak for a human: `.option(...onBehalfOf)`. */
export const onBehalfOf = [
  '--on-behalf-of <person>',
  'the person who asks for it through you, and so may not approve it',
] as const;
