/** What Temporal keeps of a refund: every execution of its workflows, also those before a reset and after a reopening. */
export interface Histories {
  /**
   * Deletes the histories of a run that has ended; one that still runs is left alone, since deleting would end it.
   * @param wait until they are really gone
   * @returns how many were deleted; `running` where one has not ended
   * @throws CountersignError dependency_unavailable
   */
  erase(tenant: string, runId: string, wait: boolean): Promise<number | 'running'>;
}
