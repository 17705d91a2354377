import type { ApprovalView } from '../../src/application/views';
import { query } from '../support/database';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { formOf, Visitor } from './visitor';

let stack: TestStack;
let reviewer: Visitor;
const of: Record<string, ApprovalView> = {};

async function open(name: string, amount: string, more: Record<string, unknown> = {}): Promise<ApprovalView> {
  const { customer, ...fields } = more as { customer?: string };
  const payment = await stack.provider.charge(1_000_000, 'usd', customer === undefined ? {} : { customer });
  return (of[name] = await stack.as('service').openApproval({ paymentId: payment, amount, ...fields }));
}

const tokenOf = (
  person: 'reviewer1' | 'reviewer2' | 'service' | 'admin',
  tenant: 'acme' | 'globex' = 'acme',
) => testTokens[tenant][person];

beforeAll(async () => {
  stack = await TestStack.start();
  reviewer = await Visitor.signedIn(stack.apiUrl, tokenOf('reviewer1'));
  await open('small', '120.00', {
    customer: 'cus_pages',
    note: 'a <b>broken</b> teapot',
    evidence: [
      { label: 'photo', url: 'https://example.com/p.jpg', text: 'lid "cracked"' },
      'javascript:alert(1)',
    ],
  });
  await open('large', '6000.00', { onBehalfOf: 'maria' });
  await open('again', '80.00', { customer: 'cus_pages' });
});
afterAll(() => stack.stop());

test('dump', async () => {
  const list = await reviewer.get('/inbox');
  console.log(list.status, list.text, [...list.headers]);
  const page = await reviewer.get(`/inbox/${of['small']?.id}`);
  console.log(page.status, page.text, formOf(page.html));
  const docs = await reviewer.get('/docs');
  console.log(docs.status, docs.text.slice(0, 500));
  const mem = await reviewer.get('/memory');
  console.log(mem.status, mem.text.slice(0, 500));
  const q = await query(stack.database.adminUrl, 'select * from web_sessions');
  console.log(q);
});
