import { csrfToken } from '../../src/web/security';

export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The text of the page, without its marks and with single spaces. */
  readonly text: string;
}

type Fields = Readonly<Record<string, string>>;

/** A browser without a script: keeps its cookie, sends forms as browsers do. */
export class Visitor {
  secret = '';
  private cookieName = 'countersign';

  constructor(
    private readonly url: string,
    readonly headers: Record<string, string> = {},
    private readonly send: (request: Request) => Response | Promise<Response> = fetch,
  ) {}

  static async signedIn(
    url: string,
    token: string | undefined,
    headers: Record<string, string> = {},
  ): Promise<Visitor> {
    const visitor = new Visitor(url, headers);
    const { status } = await visitor.post('/sign-in', { token: token ?? '' });
    if (status !== 303) throw new Error(`expected to be signed in, got ${status}`);
    return visitor;
  }

  get csrf(): string {
    return csrfToken(this.secret);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Visit> {
    return this.visit(path, { headers });
  }

  /** Follows nothing: where it leads is in `location`. */
  post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Visit> {
    const from = { origin: this.url, 'sec-fetch-site': 'same-origin', ...headers };
    return this.visit(path, {
      method: 'POST',
      body: new URLSearchParams({ csrf: this.secret === '' ? '' : this.csrf, ...fields }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...from },
    });
  }

  private async visit(path: string, init: RequestInit): Promise<Visit> {
    const response = await this.send(
      new Request(`${this.url}${path}`, {
        ...init,
        redirect: 'manual',
        headers: {
          ...(this.secret === '' ? {} : { cookie: `${this.cookieName}=${this.secret}` }),
          accept: 'text/html',
          ...this.headers,
          ...(init.headers as Record<string, string>),
        },
      }),
    );
    const [, name, given] = /^([\w-]+)=([^;]*)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
    if (name !== undefined) this.cookieName = name;
    if (given !== undefined) this.secret = given;
    const html = await response.text();
    return { status: response.status, headers: response.headers, html, text: textOf(html) };
  }
}

function textOf(html: string): string {
  return html
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();
}

/** What a page's decision form would send, as it is filled in. */
export function formOf(html: string): Record<string, string> {
  const form = /<form[^>]* id="decide"[\s\S]*?<\/form>/.exec(html)?.[0] ?? '';
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
}

/** Besides its fields, what a confirmed decision sends. */
export const sure = { confirmed: 'yes' };

/** Fills in the form of a page that was read earlier, or of the one that is there now, and presses a button. */
export async function press(
  visitor: Visitor,
  { id }: { id: string },
  decision: string,
  fields: Record<string, string> = {},
  read?: string,
): Promise<Visit> {
  const html = read ?? (await visitor.get(`/inbox/${id}`)).html;
  return visitor.post(`/inbox/${id}/decisions`, { ...formOf(html), decision, ...fields });
}
