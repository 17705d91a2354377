import type { Child } from 'hono/jsx';
import type { SignedIn, Typed } from './context';
import { Page } from './layout';
import type { Area } from './navigation';
import { HiddenFields } from './problems';

interface ConfirmProps {
  readonly title: string;
  readonly area: Area;
  readonly signedIn: SignedIn;
  /** Where the form goes once more. */
  readonly action: string;
  readonly typed?: Typed;
  /** What the button says. */
  readonly yes: string;
  /** Where somebody goes who would rather not. */
  readonly back: string;
  readonly children?: Child;
}

/** Asks once more, and says exactly what. Nothing is done by coming here. */
export function Confirm({ title, area, signedIn, action, typed = {}, yes, back, children }: ConfirmProps) {
  return (
    <Page title={title} signedIn={signedIn} kind="confirm" area={area}>
      <h1>{title}</h1>
      {children}
      <form method="post" action={action}>
        <HiddenFields typed={{ ...typed, confirmed: 'yes' }} csrf={signedIn.csrf} />
        <button class="main" autofocus>
          {yes}
        </button>{' '}
        <a href={back} data-key="u">
          Back
        </a>
      </form>
    </Page>
  );
}
