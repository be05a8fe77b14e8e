import type { Call } from './call.ts';
import { acuityError } from './errors.ts';
import { flagOf, maxOf, onlyKnown, type Values } from './params.ts';
import type { Order } from './state.ts';
import { formatInstant } from './zone.ts';

/** Lists orders, newest first, by default 100. */
export function listOrders({ account }: Call, query: Values): Order[] {
  onlyKnown(query, ['max']);
  return [...account.orders].sort((a, b) => b.at - a.at || b.id - a.id).slice(0, maxOf(query, 100));
}

export function findOrder({ account }: Call, id: string | undefined): Order {
  const order = account.orders.find((each) => String(each.id) === id);
  if (!order) throw acuityError('not_found');
  return order;
}

export const presentOrder = ({ account }: Call, { at, ...order }: Order) => ({
  ...order,
  time: formatInstant(at, account.timezone),
});

/** Lists products; with `deleted`, only the deleted ones. */
export function listProducts({ account }: Call, query: Values) {
  onlyKnown(query, ['deleted']);
  const deleted = flagOf(query, 'deleted');
  return account.products
    .filter((product) => product.deleted === deleted)
    .map(({ id, name, description, price, hidden, appointmentTypeIDs, expiresInDays }) => ({
      id,
      name,
      description,
      price,
      hidden,
      type: 'package',
      appointmentTypeIDs,
      expires: expiresInDays,
    }));
}
