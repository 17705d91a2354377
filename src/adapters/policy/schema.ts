/**
 * What a policy may speak about. It is ours, so no tenant's text can change it: whoever decides, settles reviews and
 * publishes policies is a person, whatever a rule permits. Amounts and limits are minor units of the refund's currency.
 */
export const schema = `
entity Tenant;
entity Group;

// The past of a refund's payment and customer, without this refund itself. Sums are minor units of its currency.
// What is not known is absent, and a rule has to say no without it (or say @unknown("passes")).
type CustomerHistory = {
  // Refunds that hold money or have moved it: of all time, and by when they were asked for.
  refunds: Long,
  refunded: Long,
  lastHour: Long,
  lastDay: Long,
  last30Days: Long,
  // Refunds that people have rejected.
  rejections: Long,
};
type Risk = {
  paymentRefunds: Long,
  // With those that were made by hand at the provider.
  paymentRefunded: Long,
  paymentRejections: Long,
  paymentAgeHours: Long,
  // Under dispute, minor units.
  disputed: Long,
  customer?: CustomerHistory,
  toOtherMethod?: Bool,
};

// limit: the most that this person may approve, in the currency of what is asked about; absent when there is none.
// Ids are compared by one spelling, in small letters.
entity Person in [Group] { id: String, tenant: Tenant, limit?: Long };
entity Service, Agent in [Group] { id: String, tenant: Tenant };

// A refund as it was asked for. onBehalfOf: the human for whom a service or an agent asks.
entity Refund {
  tenant: Tenant,
  requester: String,
  onBehalfOf?: String,
  amount: Long,
  currency: String,
  reason: String,
  // The group that settles runs which can't go on by themselves.
  reviewers: Group,
  // Known with pay_automatically only.
  risk?: Risk,
};

// What people decide on, in its revision in force.
entity Approval {
  tenant: Tenant,
  requester: String,
  onBehalfOf?: String,
  amount: Long,
  // What met the thresholds: this refund and the recent ones of its payment or customer.
  aggregate: Long,
  currency: String,
  reason: String,
  revision: Long,
  // How many must agree, and whether one of them has to be of a named group.
  needed: Long,
  leadRequired: Bool,
  // Groups that are asked: approvers, the named group, and what escalation added.
  asked: Set<Group>,
  escalated: Bool,
  // People to whom somebody who was asked has handed his say over, as far as the table lets them have it.
  delegates: Set<String>,
  editors: Set<String>,
  voters: Set<String>,
  // Absent in approvals from before there were such facts.
  risk?: Risk,
};

// "policies", "brake", "knowledge" or "memory".
entity Setting { tenant: Tenant };

// The refund workflow, which offers the outcomes of its runs to memory.
entity Workflow in [Group] { id: String, tenant: Tenant };

// Something that somebody would have remembered, as far as the gate's own rules let it through; never what it says.
// own: its proposer is its owner. asked: its owner asked for it in his own words. confidence: hundredths.
// evidence: kinds of what it was learnt from.
entity Candidate {
  tenant: Tenant,
  owner: String,
  own: Bool,
  proposer: String,
  kind: String,
  source: String,
  key: String,
  asked: Bool,
  personal: Bool,
  confidence: Long,
  evidence: Set<String>,
};

// own: whoever asks is its owner.
entity Memory {
  tenant: Tenant,
  owner: String,
  own: Bool,
  kind: String,
  source: String,
  key: String,
  personal: Bool,
};

action propose appliesTo { principal: [Person, Service, Agent], resource: [Refund] };
action view appliesTo { principal: [Person, Service, Agent], resource: [Refund, Approval, Setting] };
action cancel appliesTo { principal: [Person, Service, Agent], resource: [Refund] };
// Asked of whoever asked for the refund, where the table asks nobody. A rule can only forbid it: then somebody is asked.
action pay_automatically appliesTo { principal: [Person, Service, Agent], resource: [Refund] };
action review appliesTo { principal: [Person], resource: [Refund] };
action manage appliesTo { principal: [Person], resource: [Setting] };
action decide;
action approve, edit, reject, request_info, escalate, delegate, claim, release, withdraw, comment in [decide]
  appliesTo { principal: [Person], resource: [Approval] };
// What was asked back is answered by whoever asked for the refund, which no decision is.
action answer_info appliesTo { principal: [Person, Service, Agent], resource: [Approval] };
// Written at once, or, where that is not permitted, kept until a person has decided.
action remember, suggest appliesTo { principal: [Person, Service, Agent, Workflow], resource: [Candidate] };
action review_memory appliesTo { principal: [Person], resource: [Candidate] };
action forget appliesTo { principal: [Person, Service], resource: [Memory] };
`;
