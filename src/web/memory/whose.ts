import type { Principal } from '../../ports/people';
import { pathPart } from '../asked';
import type { WebContext } from '../context';
import type { Area } from '../navigation';

/** Whose memory a page is about, and where it stands. */
export interface Whose {
  /** Its address, to which the rest is added. */
  readonly base: string;
  /** Undefined for one's own. */
  readonly owner: string | undefined;
  /** What he says about himself is so at once; what an administrator says about him waits for another one. */
  readonly own: boolean;
  /** As a title ends. */
  readonly about: string;
}

export function whoseOf(c: WebContext): Whose {
  const owner = c.req.param('owner') === undefined ? undefined : pathPart(c, 'owner');
  if (owner === undefined) return { base: '/memory', owner, own: true, about: 'you' };
  const { id }: Principal = c.get('signedIn').principal;
  return {
    base: `/people/${encodeURIComponent(owner)}/memory`,
    owner,
    own: owner === id,
    about: owner,
  };
}

export function areaOf({ owner }: Whose): Area {
  return owner === undefined ? 'memory' : 'people';
}
