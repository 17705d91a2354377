import { z } from '@hono/zod-openapi';
import type { BatchFilter } from '../ports/batches';
import { decodeCursor, pageQuery } from './cursor';

/** What a list of batches can be asked for, of the API and of the pages. */
export const batchQuery = z.object(pageQuery);

/** @throws CountersignError invalid_request for a cursor that is none */
export function batchFilterOf({ cursor, limit }: z.infer<typeof batchQuery>): BatchFilter {
  const position = cursor === undefined ? undefined : decodeCursor(cursor);
  return {
    limit,
    ...(position === undefined ? {} : { cursor: { createdAt: position[0], batchId: position[1] } }),
  };
}
