import { z } from 'zod';
import { changeRefund, refundCharge } from '../billing/refunds.ts';
import type { Ledger } from '../ledger.ts';
import type { Charge } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { integer, mergeMetadata, metadata, paging, range, text } from '../wire/params.ts';
import { present } from '../wire/present.ts';

const REFUNDS = '/v1/refunds';

export const refunds: Operation[] = [
  operation(
    'POST',
    REFUNDS,
    {
      amount: integer.pipe(z.number().min(1)).optional(),
      charge: text.optional(),
      metadata: metadata.optional(),
      payment_intent: text.optional(),
      reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
    },
    ({ input, ledger }) => present(refundCharge(ledger, chargeOf(ledger, input), input), ledger.data),
  ),
  operation(
    'GET',
    REFUNDS,
    { ...paging, charge: text.optional(), created: range.optional(), payment_intent: text.optional() },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'refund',
        REFUNDS,
        input,
        (one) =>
          (input.charge === undefined || one.charge === input.charge) &&
          (input.payment_intent === undefined || one.payment_intent === input.payment_intent) &&
          within(one.created, input.created),
      ),
  ),
  operation('GET', `${REFUNDS}/:id`, {}, ({ path, ledger }) =>
    present(ledger.find('refund', path.id, 'id'), ledger.data),
  ),
  operation('POST', `${REFUNDS}/:id`, { metadata: metadata.optional() }, ({ input, path, ledger }) => {
    const refund = ledger.find('refund', path.id, 'id');
    changeRefund(ledger, refund, () => {
      refund.metadata = mergeMetadata(refund.metadata, input.metadata);
    });
    return present(refund, ledger.data);
  }),
  operation('POST', `${REFUNDS}/:id/cancel`, {}, ({ path, ledger }) => {
    const refund = ledger.find('refund', path.id, 'id');
    throw invalidRequest(`You cannot cancel the refund ${refund.id}: only those that require action can be canceled.`);
  }),
];

/**
 * Returns the given charge, or the successful charge of the given PaymentIntent.
 * @throws ErrorReply
 */
function chargeOf(ledger: Ledger, input: { charge?: string; payment_intent?: string }): Charge {
  if (input.charge && input.payment_intent) {
    throw invalidRequest('You may only specify one of these parameters: charge, payment_intent.');
  }
  if (input.charge) return ledger.find('charge', input.charge, 'charge');
  if (!input.payment_intent) {
    throw invalidRequest('One of the following params should be provided for this request: payment_intent or charge.', {
      code: 'parameter_missing',
    });
  }
  const intent = ledger.find('payment_intent', input.payment_intent, 'payment_intent');
  const charge = ledger.data.objects.charge[intent.latest_charge ?? ''];
  if (charge?.paid) return charge;
  throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`, {
    param: 'payment_intent',
  });
}
