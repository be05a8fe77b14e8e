import { z } from 'zod';
import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import type { Product } from '../objects.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { currency, flag, integer, mergeMetadata, metadata, paging, range, text, unset } from '../wire/params.ts';
import { present } from '../wire/present.ts';
import { newPrice, recurring } from './prices.ts';

const writable = {
  active: flag.optional(),
  description: z.union([unset, text]).optional(),
  images: z.array(text).max(8).optional(),
  metadata: metadata.optional(),
  statement_descriptor: text.max(22).optional(),
  tax_code: text.optional(),
  tax_details: z
    .strictObject({ performance_location: text.optional(), tax_code: text.optional() })
    .transform(({ performance_location, tax_code }) => ({
      performance_location: performance_location ?? null,
      tax_code: tax_code ?? null,
    }))
    .optional(),
  unit_label: text.max(12).optional(),
  url: text.optional(),
};

function newProduct(ledger: Ledger, input: Partial<Product> & { name: string }): Product {
  const now = ledger.now();
  return ledger.put('product', {
    id: newId('prod'),
    object: 'product',
    active: true,
    created: now,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: now,
    url: null,
    ...input,
  });
}

export const products: Operation[] = [
  operation(
    'POST',
    '/v1/products',
    {
      ...writable,
      id: text.optional(),
      name: text,
      default_price_data: z
        .strictObject({
          currency,
          unit_amount: integer,
          recurring: recurring.optional(),
          metadata: metadata.optional(),
        })
        .optional(),
    },
    ({ input, ledger }) => {
      const { expand: _, id, default_price_data, metadata, ...rest } = input as typeof input & { expand: string[] };
      if (id && Object.hasOwn(ledger.data.objects.product, id)) {
        throw invalidRequest('Product already exists.', { code: 'resource_already_exists', param: 'id' });
      }
      const product = newProduct(ledger, { ...rest, ...(id && { id }), metadata: metadata ?? {} });
      ledger.emit('product.created', product);
      if (default_price_data) {
        const { metadata: priceMetadata, ...price } = default_price_data;
        product.default_price = newPrice(ledger, { ...price, metadata: priceMetadata ?? {}, product: product.id }).id;
      }
      return present(product, ledger.data);
    },
  ),
  operation(
    'GET',
    '/v1/products',
    { ...paging, active: flag.optional(), created: range.optional(), ids: z.array(text).optional() },
    ({ input, ledger }) =>
      listPage(
        ledger,
        'product',
        '/v1/products',
        input,
        (product) =>
          (input.active === undefined || product.active === input.active) &&
          (input.ids?.includes(product.id) ?? true) &&
          within(product.created, input.created),
      ),
  ),
  operation('GET', '/v1/products/:id', {}, ({ path, ledger }) =>
    present(ledger.find('product', path.id, 'id'), ledger.data),
  ),
  operation(
    'POST',
    '/v1/products/:id',
    // Unset by an empty string, which Stripe's reference does not mention.
    { ...writable, name: text.optional(), default_price: z.union([unset, text]).optional() },
    ({ input, path, ledger }) => {
      const { expand: _, metadata, ...rest } = input as typeof input & { expand: string[] };
      const product = ledger.find('product', path.id, 'id');
      if (rest.default_price && ledger.find('price', rest.default_price, 'default_price').product !== product.id)
        throw invalidRequest('The default price must be a price of this product.', { param: 'default_price' });
      ledger.change('product.updated', product, () => {
        Object.assign(product, rest, { metadata: mergeMetadata(product.metadata, metadata), updated: ledger.now() });
      });
      return present(product, ledger.data);
    },
  ),
  operation('DELETE', '/v1/products/:id', {}, ({ path, ledger }) => {
    const product = ledger.find('product', path.id, 'id');
    if (ledger.all('price').some((price) => price.product === product.id)) {
      throw invalidRequest('This product cannot be deleted because it has one or more user-created prices.');
    }
    delete ledger.data.objects.product[product.id];
    ledger.emit('product.deleted', product);
    return { id: product.id, object: 'product', deleted: true };
  }),
];
