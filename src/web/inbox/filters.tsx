import { riskMarks } from '../../domain/approval/risk';
import { inboxOrders } from '../../ports/inbox';
import { same, Select, Show, Text, withOwn, type Choice } from '../filterFields';
import { riskWords, statusWords } from '../words';
import type { Asked } from './listRoutes';

const orderWords = {
  oldest: 'Oldest first',
  newest: 'Newest first',
  deadline: 'Deadline first',
  amount: 'Largest amount first',
} as const;

/** A plain form that asks by GET: what it shows has an address that can be kept and sent around. */
export function Filters({ asked, groups }: { asked: Asked; groups: readonly string[] }) {
  const more = ['group', 'currency', 'min_amount', 'max_amount', 'customer', 'due_in', 'min_age', 'assignee'];
  const open = more.some((name) => asked[name as keyof Asked] !== undefined);
  return (
    <form method="get" action="/inbox" class="filters" role="search" aria-label="Approvals">
      <p>
        <label for="q">Search</label>
        <input id="q" name="q" type="search" value={asked.q ?? ''} />
      </p>
      <Select
        name="status"
        label="Status"
        chosen={asked.status}
        choices={[...Object.entries(statusWords), ['any', 'Any']]}
      />
      <Select
        name="risk"
        label="Stop at"
        chosen={asked.risk}
        choices={[['', 'Any'], ...riskMarks.map((mark): Choice => [mark, riskWords[mark][0]])]}
      />
      <Select
        name="sort"
        label="Order"
        chosen={asked.sort}
        choices={inboxOrders.map((order): Choice => [order, orderWords[order]])}
      />
      <details open={open}>
        <summary>More filters</summary>
        <div class="filters">
          <Select
            name="group"
            label="Group"
            chosen={asked.group}
            choices={[['', 'Any'], ...[...new Set([...groups, asked.group ?? ''])].filter(Boolean).map(same)]}
          />
          <Text name="currency" label="Currency" value={asked.currency} hint="USD" />
          <Text name="min_amount" label="Amount from" value={asked.min_amount} hint="50.00" />
          <Text name="max_amount" label="Amount to" value={asked.max_amount} hint="500.00" />
          <Text name="customer" label="Customer" value={asked.customer} hint="cus_…" />
          <Select
            name="due_in"
            label="Due within"
            chosen={asked.due_in}
            choices={withOwn(asked.due_in, [
              ['', 'Any time'],
              ['1h', '1 hour'],
              ['8h', '8 hours'],
              ['24h', '24 hours'],
            ])}
          />
          <Select
            name="min_age"
            label="Waiting for"
            chosen={asked.min_age}
            choices={withOwn(asked.min_age, [
              ['', 'Any time'],
              ['1h', '1 hour'],
              ['24h', '24 hours'],
              ['48h', '48 hours'],
            ])}
          />
          <Select
            name="assignee"
            label="Claimed"
            chosen={asked.assignee}
            choices={withOwn(asked.assignee, [
              ['', 'By anybody or nobody'],
              ['me', 'By me'],
            ])}
          />
        </div>
      </details>
      <Show path="/inbox" />
    </form>
  );
}
