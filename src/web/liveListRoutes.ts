import { answered, askedOf, type Asked } from './asked';
import type { SignedIn, Web, WebContext, WebDependencies } from './context';
import { respond, type Shown } from './layout';
import { digestOf, streamState } from './live';
import { pathOf, requireArea, type Area } from './navigation';
import { signedInOnly } from './session';

export interface ListProps<Found> {
  readonly signedIn: SignedIn;
  readonly asked: Asked;
  /** Undefined where what was asked can't be answered; then `wrong` says why. */
  readonly listed: (Found & { readonly digest: string }) | undefined;
  readonly wrong: string | undefined;
}

interface List<Found> {
  readonly area: Area;
  /** What is meant by an address that does not say so. */
  readonly asked?: (given: Asked) => Asked;
  /** Everything on the page that may change. @throws CountersignError invalid_request for what can't be answered */
  readonly find: (signedIn: SignedIn, asked: Asked) => Promise<Found>;
}

/**
 * A list's address and its events, which tell when what was found has become another.
 * @returns shows the page, for a form of the page that was not done
 */
export function liveListRoutes<Found extends object, More = object>(
  web: Web,
  dependencies: WebDependencies,
  { area, asked: meant = (given) => given, find }: List<Found>,
  page: (props: ListProps<Found>, c: WebContext, more?: More) => Shown,
): (c: WebContext, more?: More, status?: number) => Promise<Response> {
  const only = signedInOnly(dependencies);

  async function look(c: WebContext): Promise<ListProps<Found>> {
    const signedIn = c.get('signedIn');
    requireArea(signedIn.principal, area);
    const asked = meant(askedOf(c));
    const { found, wrong } = await answered(() => find(signedIn, asked));
    return { signedIn, asked, listed: found && { ...found, digest: digestOf(found) }, wrong };
  }

  async function show(c: WebContext, more?: More, status?: number): Promise<Response> {
    const props = await look(c);
    return respond(c, page(props, c, more), status ?? (props.wrong === undefined ? 200 : 422));
  }

  web.get(pathOf(area), only, (c) => show(c));
  web.get(`${pathOf(area)}/events`, only, (c) => {
    const { tenant } = c.get('signedIn').principal;
    const news = { subscribe: (changed: () => void) => dependencies.watch.ofTenant(tenant, changed) };
    return streamState(c, dependencies, news, async () => (await look(c)).listed?.digest ?? '');
  });
  return show;
}
