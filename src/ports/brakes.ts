/** A kill switch that is pulled: no provider call starts while it is. Times in ms since the epoch. */
export interface Brake {
  /** A tenant, or `*` for all of them. */
  readonly scope: string;
  readonly reason: string;
  readonly actor: string;
  readonly at: number;
}

export interface BrakeMove extends Brake {
  readonly engaged: boolean;
}

export interface Brakes {
  /** What holds this tenant now: the switch for all before its own. */
  engaged(): Promise<Brake | undefined>;
  /** Pulls or releases the tenant's own switch. */
  move(engaged: boolean, reason: string, actor: string): Promise<void>;
  /** Every move that this tenant can see, newest first. */
  history(limit: number): Promise<BrakeMove[]>;
}
