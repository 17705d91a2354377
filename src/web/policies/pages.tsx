import type { PolicyReport } from '../../application/policyReport';
import { describeTable } from '../../domain/policy/describe';
import type { PolicyDocument } from '../../domain/policy/document';
import type { PublishedPolicy } from '../../ports/policies';
import type { Asked } from '../asked';
import type { SignedIn } from '../context';
import { same, Select, withOwn } from '../filterFields';
import { Page } from '../layout';
import { Paging } from '../paging';
import type { Reader } from '../reader';
import { Field } from '../steps';
import { Head } from '../table';
import { When } from '../time';
import { sentence } from '../words';

interface PoliciesProps {
  readonly signedIn: SignedIn;
  readonly asked: Asked;
  readonly listed: { readonly items: readonly PublishedPolicy[]; readonly nextCursor: string | null };
}

export function PoliciesPage({ signedIn, asked, listed: { items, nextCursor } }: PoliciesProps) {
  const newest = asked['cursor'] === undefined ? items[0] : undefined;
  return (
    <Page title="Policies" signedIn={signedIn} area="policies">
      <h1>Policies</h1>
      {newest && (
        <section aria-labelledby="newest-title">
          <h2 id="newest-title">In force: {newest.version}</h2>
          <InWords table={newest.document} />
        </section>
      )}
      <section aria-labelledby="versions-title">
        <h2 id="versions-title">Versions</h2>
        <table>
          <Head columns={['Version', 'Published', 'By', { wide: 'Why' }]} />
          <tbody>
            {items.map((policy) => (
              <tr data-row={policy.version}>
                <th scope="row">
                  <a href={`/policies/${encodeURIComponent(policy.version)}`} data-open>
                    {policy.version}
                  </a>
                  {policy === newest && <span class="tag">in force</span>}
                </th>
                <td>
                  <When at={publishedAt(policy)} reader={signedIn.reader} />
                </td>
                <td>{policy.publishedBy ?? 'at the beginning'}</td>
                <td class="wide">{policy.comment ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Paging path="/policies" of="versions" asked={asked} nextCursor={nextCursor} />
    </Page>
  );
}

interface PolicyProps {
  readonly signedIn: SignedIn;
  readonly policy: PublishedPolicy;
  /** Versions to compare with, newest first. */
  readonly others: readonly string[];
  /** Undefined for the first one. */
  readonly compared:
    (Pick<PolicyReport, 'changes' | 'changedAnswers'> & { readonly against: string }) | undefined;
}

export function PolicyPage({ signedIn, policy, others, compared }: PolicyProps) {
  const { version, number, document, cedar, cases } = policy;
  return (
    <Page title={`Policy ${version}`} signedIn={signedIn} area="policies">
      <nav aria-label="Back">
        <a href="/policies" data-key="u">
          All versions
        </a>
      </nav>
      <h1>Policy {version}</h1>
      <Published policy={policy} reader={signedIn.reader} />
      {compared && (
        <section aria-labelledby="changes-title">
          <h2 id="changes-title">What it changes of {compared.against}</h2>
          <form method="get" action={`/policies/${encodeURIComponent(version)}`} class="filters">
            <Select
              name="against"
              label="Compare with"
              chosen={compared.against}
              choices={withOwn(compared.against, others.map(same))}
            />
            <p class="act">
              <button>Compare</button>
            </p>
          </form>
          <Changes compared={compared} />
        </section>
      )}
      <section aria-labelledby="words-title">
        <h2 id="words-title">In words</h2>
        <InWords table={document} />
      </section>
      <section aria-labelledby="rules-title">
        <h2 id="rules-title">Who may do what</h2>
        <details>
          <summary>
            The rules as they are written, and {cases.cases.length} examples that they were published with
          </summary>
          <ul>
            {cases.cases.map((one) => (
              <li>{one.case}</li>
            ))}
          </ul>
          <pre tabindex={0}>{cedar}</pre>
        </details>
      </section>
      <p class="faint">Number {number} of this tenant's policies.</p>
    </Page>
  );
}

function Published({ policy, reader }: { policy: PublishedPolicy; reader: Reader }) {
  return (
    <dl class="what">
      <Field name="Published">
        <When at={publishedAt(policy)} reader={reader} /> {policy.publishedBy && `by ${policy.publishedBy}`}
      </Field>
      {policy.comment !== null && <Field name="Why">{policy.comment}</Field>}
    </dl>
  );
}

function Changes({
  compared: { changes, changedAnswers },
}: {
  compared: NonNullable<PolicyProps['compared']>;
}) {
  if (changes.length === 0 && changedAnswers.length === 0) return <p class="empty">Nothing.</p>;
  return (
    <>
      <ul id="changes">
        {changes.map((change) => (
          <li>{sentence(change)}</li>
        ))}
      </ul>
      {changedAnswers.length > 0 && (
        <table>
          <caption>Examples that come out otherwise</caption>
          <Head columns={['Example', 'Before', 'After']} />
          <tbody>
            {changedAnswers.map((answer) => (
              <tr>
                <th scope="row">{answer.case}</th>
                <td>{answer.before}</td>
                <td>{answer.after}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function InWords({ table }: { table: PolicyDocument }) {
  return (
    <dl class="facts">
      {[...describeTable(table)].map(([subject, words]) => (
        <Field name={sentence(subject).slice(0, -1)}>{words}</Field>
      ))}
    </dl>
  );
}

function publishedAt(policy: PublishedPolicy): string {
  return new Date(policy.publishedAt).toISOString();
}
