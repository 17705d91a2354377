/** An explicit statement of an owner, changed by `change`. */
export const statement = (ownerId: string, change: object = {}) => ({
  ownerId,
  key: 'preference/language',
  value: `Answer ${ownerId} in English.`,
  kind: 'semantic',
  source: 'user_explicit',
  explicitUserRequest: true,
  ...change,
});

/** Below `/v1/memories`, of one owner. */
export const owned = (path: string, owner: string, more = '') =>
  `/v1/memories${path}?owner=${encodeURIComponent(owner)}${more}`;
