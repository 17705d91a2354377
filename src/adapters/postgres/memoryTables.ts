/** The memory tables of migrations/0002_memory.ts. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled by the memory migration
export interface MemoryTables {}
