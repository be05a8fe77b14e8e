import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { mergeMetadata, metadata, paging, range, text } from '../wire/params.ts';
import { present } from '../wire/present.ts';

export const charges: Operation[] = [
  operation(
    'GET',
    '/v1/charges',
    { ...paging, created: range.optional(), customer: text.optional(), payment_intent: text.optional() },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'charge',
        '/v1/charges',
        input,
        (one) =>
          (input.customer === undefined || one.customer === input.customer) &&
          (input.payment_intent === undefined || one.payment_intent === input.payment_intent) &&
          within(one.created, input.created),
      ),
  ),
  operation('GET', '/v1/charges/:id', {}, ({ path, ledger }) =>
    present(ledger.find('charge', path.id, 'id'), ledger.data),
  ),
  operation(
    'POST',
    '/v1/charges/:id',
    { description: text.optional(), metadata: metadata.optional(), receipt_email: text.optional() },
    ({ input, path, ledger }) => {
      const charge = ledger.find('charge', path.id, 'id');
      ledger.change('charge.updated', charge, () => {
        charge.description = input.description ?? charge.description;
        charge.receipt_email = input.receipt_email ?? charge.receipt_email;
        charge.metadata = mergeMetadata(charge.metadata, input.metadata);
      });
      return present(charge, ledger.data);
    },
  ),
];
