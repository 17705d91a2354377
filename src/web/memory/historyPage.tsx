import type { MemoryVersion } from '../../ports/memory';
import type { SignedIn } from '../context';
import { Page } from '../layout';
import { Field } from '../steps';
import { When } from '../time';
import { Why } from './pages';
import { areaOf, type Whose } from './whose';

interface HistoryProps {
  readonly signedIn: SignedIn;
  readonly whose: Whose;
  /** Newest first; never none. */
  readonly versions: readonly MemoryVersion[];
}

/** Every version of one memory, and why each was let in. */
export function HistoryPage({ signedIn, whose, versions }: HistoryProps) {
  const key = versions[0]?.key ?? '';
  return (
    <Page title={`History of ${key}`} signedIn={signedIn} kind="memory" area={areaOf(whose)}>
      <nav aria-label="Back">
        <a href={whose.base} data-key="u">
          All that is remembered about {whose.about}
        </a>
      </nav>
      <h1>History of {key}</h1>
      <ul class="memories">
        {versions.map((version) => (
          <li>
            <Version version={version} signedIn={signedIn} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

function Version({ version: memory, signedIn: { reader } }: { version: MemoryVersion; signedIn: SignedIn }) {
  const { id, version, value, state, kind, personal, validTo, supersededBy, decision } = memory;
  return (
    <article aria-labelledby={`${id}-version`}>
      <h2 id={`${id}-version`}>Version {version}</h2>
      <p class="value">{value}</p>
      <p>
        <span class={state === 'believed' ? 'tag' : 'tag risk'}>{state}</span>
        <span class="tag">{kind}</span>
        {personal && <span class="tag">personal</span>}
      </p>
      <Why memory={memory} reader={reader} />
      <dl class="facts">
        {validTo !== null && (
          <Field name="Replaced">
            <When at={new Date(validTo).toISOString()} reader={reader} />
            {supersededBy !== null && ` by ${supersededBy}`}
          </Field>
        )}
        <Field name="Let in by">
          {decision.reason} <When at={new Date(decision.at).toISOString()} reader={reader} />, proposed by{' '}
          {decision.actor}
        </Field>
        <Field name="Rules">
          {decision.ruleIds.map((rule) => (
            <span class="tag">{rule}</span>
          ))}
        </Field>
        <Field name="Under">{decision.policyVersion}</Field>
        <Field name="Id">{id}</Field>
      </dl>
    </article>
  );
}
