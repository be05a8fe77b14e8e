import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { type Bench, CARDS, DAY, EVENT_TIMEOUT, openBench } from './test-bench.ts';

async function charged(bench: Bench, number = CARDS.good): Promise<Stripe.Charge> {
  await bench.paid(number);
  return (await bench.stripe.charges.list({}, bench.on)).data[0]!;
}
const eventsOf = (bench: Bench, type: string) => bench.events.filter((event) => event.type === type);

test('refunds a payment in parts, and then rejects further refunds with Stripe’s messages', async () => {
  const bench = await openBench();
  const { id: charge, payment_intent } = await charged(bench);
  const refund = (params: Stripe.RefundCreateParams) => bench.stripe.refunds.create({ charge, ...params }, bench.on);
  await expect(refund({ amount: 4901 })).rejects.toMatchObject({
    message: 'Refund amount ($49.01) is greater than charge amount ($49.00)',
    param: 'amount',
    statusCode: 400,
  });
  const first = await refund({ amount: 1900, reason: 'requested_by_customer', metadata: { by: 'staff' } });
  expect(first).toMatchObject({ amount: 1900, charge, payment_intent, status: 'succeeded', object: 'refund' });
  expect(await bench.stripe.charges.retrieve(charge, {}, bench.on)).toMatchObject({
    amount_refunded: 1900,
    refunded: false,
    paid: true,
  });
  await expect(refund({ amount: 3001 })).rejects.toMatchObject({
    message: 'Refund amount ($30.01) is greater than unrefunded amount on charge ($30.00)',
  });
  const rest = await bench.stripe.refunds.create({ payment_intent: payment_intent as string }, bench.on);
  expect(rest.amount).toBe(3000);
  await expect(refund({})).rejects.toMatchObject({
    code: 'charge_already_refunded',
    message: `Charge ${charge} has already been refunded.`,
  });
  const whole = await bench.stripe.charges.retrieve(charge, { expand: ['refunds'] }, bench.on);
  expect(whole).toMatchObject({ amount_refunded: 4900, refunded: true });
  expect(whole.refunds!.data.map(({ id }) => id)).toEqual([rest.id, first.id]);
  const { data } = await bench.stripe.refunds.list({ payment_intent: payment_intent as string, limit: 1 }, bench.on);
  expect(data.map(({ id }) => id)).toEqual([rest.id]);

  await expect.poll(() => eventsOf(bench, 'charge.refunded').length, EVENT_TIMEOUT).toBe(2);
  await expect.poll(() => eventsOf(bench, 'refund.created').length, EVENT_TIMEOUT).toBe(2);
  await expect.poll(() => eventsOf(bench, 'refund.updated').length, EVENT_TIMEOUT).toBe(2);
  const [refunded] = eventsOf(bench, 'charge.refunded');
  expect(refunded!.data.previous_attributes).toEqual(expect.objectContaining({ amount_refunded: expect.any(Number) }));
  // Stripe does not change the invoice of a refunded payment.
  expect((await bench.stripe.invoices.list({}, bench.on)).data[0]).toMatchObject({ status: 'paid', amount_paid: 4900 });
});

test('rejects refunds without a successful payment of this account', async () => {
  const bench = await openBench();
  const started = await bench.subscribe();
  const { data } = await bench.stripe.paymentIntents.list({}, bench.on);
  const open = bench.stripe.refunds.create({ payment_intent: data[0]!.id }, bench.on);
  await expect(open).rejects.toMatchObject({ message: expect.stringContaining('does not have a successful charge') });
  const secret = (started.latest_invoice as Stripe.Invoice).confirmation_secret!.client_secret;
  await bench.confirm(secret, CARDS.declined);
  const [failed] = (await bench.stripe.charges.list({}, bench.on)).data;
  await expect(bench.stripe.refunds.create({ charge: failed!.id }, bench.on)).rejects.toMatchObject({
    statusCode: 400,
  });
  await expect(bench.stripe.refunds.create({}, bench.on)).rejects.toMatchObject({ code: 'parameter_missing' });
  await expect(bench.stripe.refunds.create({ charge: 'ch_none' }, bench.on)).rejects.toMatchObject({
    code: 'resource_missing',
    param: 'charge',
  });
  const paid = await charged(bench);
  await expect(bench.stripe.refunds.create({ charge: paid.id })).rejects.toMatchObject({ code: 'resource_missing' });
});

test('InvoicePayments lead from a payment, refund or dispute to its invoice', async () => {
  const bench = await openBench();
  const { payment_intent } = await charged(bench);
  await bench.paid();
  const payment = { type: 'payment_intent', payment_intent: payment_intent as string } as const;
  const { data } = await bench.stripe.invoicePayments.list({ payment, status: 'paid' }, bench.on);
  const [invoice] = (await bench.stripe.invoices.list({}, bench.on)).data.slice(-1);
  expect(data.map((payment) => payment.invoice)).toEqual([invoice!.id]);
  expect((await bench.stripe.invoicePayments.list({ limit: 1 }, bench.on)).has_more).toBe(true);
});

test('the same idempotency key refunds once', async () => {
  const bench = await openBench();
  const { id: charge } = await charged(bench);
  const options = { ...bench.on, idempotencyKey: 'refund-1' };
  const [first, second] = [
    await bench.stripe.refunds.create({ charge, amount: 100 }, options),
    await bench.stripe.refunds.create({ charge, amount: 100 }, options),
  ];
  expect(second.id).toBe(first.id);
  expect((await bench.stripe.charges.retrieve(charge, {}, bench.on)).amount_refunded).toBe(100);
});

test.each([
  ['4000000000007726', 'succeeded', 4900],
  ['4000000000005126', 'failed', 0],
])('a refund of %s is first pending, then %s', async (number, status, refundedAmount) => {
  const bench = await openBench();
  const { id: charge } = await charged(bench, number);
  const { id, ...refund } = await bench.stripe.refunds.create({ charge }, bench.on);
  expect(refund.status).toBe('pending');
  await bench.advance(DAY + 60);
  expect((await bench.stripe.refunds.retrieve(id, {}, bench.on)).status).toBe(status);
  expect((await bench.stripe.charges.retrieve(charge, {}, bench.on)).amount_refunded).toBe(refundedAmount);
  if (status === 'failed') await expect.poll(() => eventsOf(bench, 'refund.failed').length, EVENT_TIMEOUT).toBe(1);
});

test.each([
  ['4000000000000259', 'fraudulent', 'needs_response'],
  ['4000000000002685', 'product_not_received', 'needs_response'],
  ['4000000000001976', 'fraudulent', 'warning_needs_response'],
] as const)('the cardholder of %s disputes the payment as %s', async (number, reason, status) => {
  const bench = await openBench();
  const charge = await charged(bench, number);
  expect(charge.disputed).toBe(true);
  const { data } = await bench.stripe.disputes.list({ charge: charge.id }, bench.on);
  expect(data).toMatchObject([{ amount: 4900, charge: charge.id, reason, status, currency: 'usd' }]);
  await expect.poll(() => eventsOf(bench, 'charge.dispute.created').length, EVENT_TIMEOUT).toBe(1);
  const refunding = bench.stripe.refunds.create({ charge: charge.id, amount: 100 }, bench.on);
  if (status === 'needs_response') await expect(refunding).rejects.toMatchObject({ code: 'charge_disputed' });
  else expect((await refunding).status).toBe('succeeded');
});

test.each([
  ['winning_evidence', 'won'],
  ['losing_evidence', 'lost'],
])('%s closes a dispute as %s', async (uncategorized_text, status) => {
  const bench = await openBench();
  const { id } = await charged(bench, '4000000000000259');
  const [dispute] = (await bench.stripe.disputes.list({ charge: id }, bench.on)).data;
  const updated = await bench.stripe.disputes.update(dispute!.id, { evidence: { uncategorized_text } }, bench.on);
  expect(updated.status).toBe(status);
  await expect.poll(() => eventsOf(bench, 'charge.dispute.closed').length, EVENT_TIMEOUT).toBe(1);
  await expect(bench.stripe.disputes.close(dispute!.id, {}, bench.on)).rejects.toMatchObject({
    code: 'dispute_already_closed',
  });
});

test('an unanswered dispute is lost; a dispute can be accepted or decided by a control', async () => {
  const bench = await openBench();
  const { id } = await charged(bench, '4000000000000259');
  const [unanswered] = (await bench.stripe.disputes.list({ charge: id }, bench.on)).data;
  await bench.advance(10 * DAY);
  expect((await bench.stripe.disputes.retrieve(unanswered!.id, {}, bench.on)).status).toBe('lost');
  const other = await charged(bench);
  const inquiry = await bench.control('trigger', { name: 'dispute', charge: other.id, account: bench.account });
  expect(inquiry).toMatchObject({ reason: 'general', status: 'needs_response' });
  const closed = await bench.control('trigger', {
    name: 'close_dispute',
    dispute: inquiry.id,
    outcome: 'won',
    account: bench.account,
  });
  expect(closed.status).toBe('won');
  const third = await charged(bench, '4000000000000259');
  const [accepted] = (await bench.stripe.disputes.list({ charge: third.id }, bench.on)).data;
  expect((await bench.stripe.disputes.close(accepted!.id, {}, bench.on)).status).toBe('lost');
});
