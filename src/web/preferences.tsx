import { isTimeZone } from '../domain/time/days';
import type { Web, WebDependencies } from './context';
import { Notice, Page, respond } from './layout';
import { pathHere } from './security';
import { signedInOnly } from './session';

/** `/preferences`: the time zone, kept with the session. The language is the browser's. */
export function preferenceRoutes(web: Web, dependencies: WebDependencies): void {
  const only = signedInOnly(dependencies);

  web.get('/preferences', only, (c) => {
    const signedIn = c.get('signedIn');
    return respond(
      c,
      <Page title="Preferences" signedIn={signedIn}>
        <h1>Preferences</h1>
        {c.req.query('done') !== undefined && (
          <Notice kind="done">
            <p>Times are in {signedIn.reader.timeZone} from now on.</p>
          </Notice>
        )}
        <form method="post" action="/preferences" class="stack">
          <input type="hidden" name="csrf" value={signedIn.csrf} />
          <p>
            <label for="timeZone">Time zone</label>
            <select id="timeZone" name="zone">
              {['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((zone) => (
                <option value={zone} selected={zone === signedIn.reader.timeZone}>
                  {zone}
                </option>
              ))}
            </select>
          </p>
          <p class="faint">
            Dates and amounts are written as in {signedIn.reader.locale}, as your browser asks.
          </p>
          <button class="main">Keep</button>
        </form>
      </Page>,
    );
  });

  web.post('/preferences', only, async (c) => {
    const { secret, principal } = c.get('signedIn');
    const { zone = '' } = c.get('typed');
    if (c.get('interrupted') || !isTimeZone(zone)) return c.redirect(pathHere('/preferences'), 303);
    await dependencies.sessions.keepTimeZone(secret, principal.tenant, zone);
    return c.redirect('/preferences?done=yes', 303);
  });
}
