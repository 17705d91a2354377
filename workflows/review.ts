import { errorCatalogue, type ErrorCode } from '../src/domain/errors';
import type { Desk } from './desk';
import { durably, quick } from './steps';

const lookAgainMs = 3_600_000;

/** Whether the catalogue wants a person to look, instead of the run ending. */
export function reviewed(code: ErrorCode): boolean {
  return errorCatalogue[code].retry === 'ask_person';
}

/** Shows a person what is wrong and looks again every hour, so that a cause that has gone needs nobody. */
export async function awaitReview(desk: Desk, code: ErrorCode, detail: string): Promise<void> {
  const { tenant, runId } = desk.input;
  desk.reviews += 1;
  await durably(() => quick.flagForReview({ tenant, runId, code, detail, round: desk.reviews }));
  desk.enter('needs_review', `a person: ${detail}`);
  await desk.pause(lookAgainMs);
}
