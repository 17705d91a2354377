import { Countersign } from 'countersign';

/** A service of its own, with a key that opens no more than it needs; the token is told once. */
export async function addService(administrator: Countersign, id: string, baseUrl: string) {
  await administrator.admin.addPerson({ id, kind: 'service', displayName: 'The shop', groups: [] });
  const { token } = await administrator.admin.createKey({
    person: id,
    name: 'shop-1',
    scopes: ['refunds:propose', 'refunds:read'],
  });
  return new Countersign({ baseUrl, token });
}

/** Whom a token stands for, and another token in its place, which nobody else has seen. */
export async function rotate(countersign: Countersign) {
  const { id, key } = await countersign.self.show();
  const { token } = await countersign.self.rotate(1);
  return { id, scopes: key.scopes, token };
}

/** Erases what is held about a customer: another administrator has to confirm it, and a legal hold comes first. */
export async function askToErase(administrator: Countersign, customer: string) {
  const holds = await administrator.retention.holds();
  if (holds.items.some(({ subject }) => subject === customer)) return 'held';
  const { state } = await administrator.erasures.request(customer);
  return state;
}

/** What Temporal's history holds is encrypted where the API has keys; an administrator opens what is his tenant's. */
export async function openPayload(administrator: Countersign, data: string) {
  const [payload] = await administrator.payloads.decode([{ data }]);
  return payload?.data;
}
