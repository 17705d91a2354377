/** What Temporal keeps of a refund: every execution of its workflows, also those before a reset and after a reopening. */
export interface Histories {
  /**
   * Has the histories of a run deleted that has ended. Temporal does so behind the scenes, within a minute or so; asked
   * again it says how far it is. One execution that still runs keeps all of them, since deleting it would end it.
   * @throws CountersignError dependency_unavailable
   */
  erase(tenant: string, runId: string): Promise<'gone' | 'deleting' | 'running'>;
}
