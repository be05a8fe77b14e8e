import { z } from 'zod';
import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Price } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { currency, flag, integer, mergeMetadata, metadata, paging, range, text, unset } from '../wire/params.ts';
import { present } from '../wire/present.ts';

export const recurring = z.strictObject({
  interval: z.enum(['day', 'week', 'month', 'year']),
  interval_count: integer.pipe(z.number().min(1).max(1095)).optional(),
  usage_type: z.literal('licensed').optional(),
});

interface NewPrice {
  currency: string;
  product: string;
  unit_amount: number;
  active?: boolean;
  lookup_key?: string;
  nickname?: string | null;
  transfer_lookup_key?: boolean;
  metadata?: Record<string, string> | null;
  recurring?: z.output<typeof recurring>;
  tax_behavior?: Price['tax_behavior'];
}

/** Stores a price and emits `price.created`. */
export function newPrice(ledger: Ledger, input: NewPrice): Price {
  const price = ledger.put('price', {
    id: newId('price'),
    object: 'price',
    active: input.active ?? true,
    billing_scheme: 'per_unit',
    created: ledger.now(),
    currency: input.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: input.lookup_key ?? null,
    metadata: input.metadata ?? {},
    nickname: input.nickname ?? null,
    product: input.product,
    recurring: input.recurring
      ? {
          interval: input.recurring.interval,
          interval_count: input.recurring.interval_count ?? 1,
          meter: null,
          trial_period_days: null,
          usage_type: 'licensed',
        }
      : null,
    tax_behavior: input.tax_behavior ?? 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: input.recurring ? 'recurring' : 'one_time',
    unit_amount: input.unit_amount,
    unit_amount_decimal: String(input.unit_amount),
  });
  ledger.emit('price.created', price);
  return price;
}

type NewKey = { lookup_key?: string; transfer_lookup_key?: boolean };

/** A key that another price has is taken from it where the request says so. */
function takeLookupKey(ledger: Ledger, { lookup_key: key, transfer_lookup_key: isTaken }: NewKey, own?: string): void {
  const existing = key && ledger.all('price').find((price) => price.lookup_key === key && price.id !== own);
  if (existing && isTaken)
    ledger.change('price.updated', existing, () => {
      existing.lookup_key = null;
    });
  else if (existing)
    throw invalidRequest(`A price (\`${existing.id}\`) already uses that lookup key.`, { param: 'lookup_key' });
}

const writable = {
  active: flag.optional(),
  lookup_key: text.max(200).optional(),
  metadata: metadata.optional(),
  nickname: z.union([unset, text]).optional(),
  transfer_lookup_key: flag.optional(),
};

export const prices: Operation[] = [
  operation(
    'POST',
    '/v1/prices',
    {
      ...writable,
      currency,
      product: text,
      unit_amount: integer.pipe(z.number().min(0)),
      recurring: recurring.optional(),
      tax_behavior: z.enum(['exclusive', 'inclusive', 'unspecified']).optional(),
    },
    ({ input, ledger }) => {
      ledger.find('product', input.product, 'product');
      takeLookupKey(ledger, input);
      return present(newPrice(ledger, input), ledger.data);
    },
  ),
  operation(
    'GET',
    '/v1/prices',
    {
      ...paging,
      active: flag.optional(),
      created: range.optional(),
      currency: currency.optional(),
      lookup_keys: z.array(text).max(10).optional(),
      product: text.optional(),
      recurring: z.strictObject({ interval: z.enum(['day', 'week', 'month', 'year']).optional() }).optional(),
      type: z.enum(['recurring', 'one_time']).optional(),
    },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'price',
        '/v1/prices',
        input,
        (price) =>
          (input.active === undefined || price.active === input.active) &&
          (input.type === undefined || price.type === input.type) &&
          (input.product === undefined || price.product === input.product) &&
          (input.currency === undefined || price.currency === input.currency) &&
          (input.lookup_keys?.includes(price.lookup_key ?? '') ?? true) &&
          (input.recurring?.interval === undefined || price.recurring?.interval === input.recurring.interval) &&
          within(price.created, input.created),
      ),
  ),
  operation('GET', '/v1/prices/:id', {}, ({ path, ledger }) =>
    present(ledger.find('price', path.id, 'id'), ledger.data),
  ),
  operation('POST', '/v1/prices/:id', writable, ({ input, path, ledger }) => {
    const { expand: _, transfer_lookup_key, metadata, ...rest } = input as typeof input & { expand: string[] };
    const price = ledger.find('price', path.id, 'id');
    takeLookupKey(ledger, { ...rest, transfer_lookup_key }, price.id);
    if (rest.active === false && ledger.find('product', price.product, 'product').default_price === price.id)
      throw invalidRequest('This price cannot be archived because it is the default price of its product.');
    ledger.change('price.updated', price, () => {
      Object.assign(price, rest, { metadata: mergeMetadata(price.metadata, metadata) });
    });
    return present(price, ledger.data);
  }),
];
