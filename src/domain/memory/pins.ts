/** So many memories of one owner may be pinned at once; those that are not believed now don't count. */
export const mostPinned = 20;
