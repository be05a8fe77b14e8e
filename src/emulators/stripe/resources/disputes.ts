import { z } from 'zod';
import { closeDispute, isClosed, submitEvidence } from '../billing/disputes.ts';
import type { Dispute } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { flag, mergeMetadata, metadata, paging, range, text } from '../wire/params.ts';
import { present } from '../wire/present.ts';

const DISPUTES = '/v1/disputes';
const evidence = z.partialRecord(
  z.enum([
    'access_activity_log',
    'cancellation_policy_disclosure',
    'cancellation_rebuttal',
    'customer_email_address',
    'customer_name',
    'customer_purchase_ip',
    'product_description',
    'refund_policy_disclosure',
    'refund_refusal_explanation',
    'service_date',
    'uncategorized_text',
  ]),
  z.string(),
);

function checkOpen(dispute: Dispute): void {
  if (isClosed(dispute)) throw invalidRequest('This dispute is already closed.', { code: 'dispute_already_closed' });
}

export const disputes: Operation[] = [
  operation(
    'GET',
    DISPUTES,
    { ...paging, charge: text.optional(), created: range.optional(), payment_intent: text.optional() },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'dispute',
        DISPUTES,
        input,
        (one) =>
          (input.charge === undefined || one.charge === input.charge) &&
          (input.payment_intent === undefined || one.payment_intent === input.payment_intent) &&
          within(one.created, input.created),
      ),
  ),
  operation('GET', `${DISPUTES}/:id`, {}, ({ path, ledger }) =>
    present(ledger.find('dispute', path.id, 'id'), ledger.data),
  ),
  operation(
    'POST',
    `${DISPUTES}/:id`,
    { evidence: evidence.optional(), metadata: metadata.optional(), submit: flag.optional() },
    ({ input, path, ledger }) => {
      const dispute = ledger.find('dispute', path.id, 'id');
      if (input.evidence) checkOpen(dispute);
      ledger.change('charge.dispute.updated', dispute, () => {
        dispute.metadata = mergeMetadata(dispute.metadata, input.metadata);
        if (!input.evidence) return;
        dispute.evidence = { ...dispute.evidence, ...input.evidence };
        dispute.evidence_details = { ...dispute.evidence_details, has_evidence: true };
      });
      // Evidence is submitted immediately unless `submit` is false.
      if (input.evidence && input.submit !== false) submitEvidence(ledger, dispute);
      return present(dispute, ledger.data);
    },
  ),
  operation('POST', `${DISPUTES}/:id/close`, {}, ({ path, ledger }) => {
    const dispute = ledger.find('dispute', path.id, 'id');
    checkOpen(dispute);
    return present(closeDispute(ledger, dispute, 'lost'), ledger.data);
  }),
];
