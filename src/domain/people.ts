/** Groups that mean something to Countersign itself; every other group is the tenant's own and means what its policy says. */
export const groups = {
  /** May propose refunds. */
  proposers: 'proposers',
  /** Manage policy and memory, and may cancel any refund; they approve nothing. */
  admins: 'admins',
  /** Read the audit log, and nothing else by it. */
  auditors: 'auditors',
} as const;
