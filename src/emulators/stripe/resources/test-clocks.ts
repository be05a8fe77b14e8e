import { advanceTime } from '../billing/advance-time.ts';
import { addIntervals, DAY, recurringOf } from '../billing/calendar.ts';
import { newId } from '../ids.ts';
import type { Ledger } from '../ledger.ts';
import { stored } from '../state.ts';
import { invalidRequest } from '../wire/errors.ts';
import { listPage } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { integer, paging, text } from '../wire/params.ts';
import { present } from '../wire/present.ts';
import { deleteCustomer } from './customers.ts';

const CLOCKS = '/v1/test_helpers/test_clocks';
const RETENTION = 30 * DAY;

export const testClocks: Operation[] = [
  operation('POST', CLOCKS, { frozen_time: integer, name: text.max(300).optional() }, ({ input, ledger }) => {
    const clock = ledger.put('test_clock', {
      id: newId('clock'),
      object: 'test_helpers.test_clock',
      created: ledger.now(),
      deletes_after: ledger.now() + RETENTION,
      frozen_time: input.frozen_time,
      livemode: false,
      name: input.name ?? null,
      status: 'ready',
      status_details: {},
    });
    ledger.emit('test_helpers.test_clock.created', clock);
    return present(clock, ledger.data);
  }),
  operation('GET', CLOCKS, paging, ({ input, ledger }) => listPage(ledger, 'test_clock', CLOCKS, input, () => true)),
  operation('GET', `${CLOCKS}/:id`, {}, ({ path, ledger }) =>
    present(ledger.find('test_clock', path.id, 'id'), ledger.data),
  ),
  operation('POST', `${CLOCKS}/:id/advance`, { frozen_time: integer }, ({ input, path, ledger }) => {
    const clock = ledger.find('test_clock', path.id, 'id');
    if (input.frozen_time <= clock.frozen_time) {
      throw invalidRequest('Time must be advanced to a time later than the current frozen time.', {
        param: 'frozen_time',
      });
    }
    if (input.frozen_time > maxTime(ledger, clock.id, clock.frozen_time)) {
      throw invalidRequest('You can advance a clock by at most two intervals of its shortest subscription at a time.', {
        param: 'frozen_time',
      });
    }
    advanceTime(ledger.world, ledger.options, ledger.accountId, input.frozen_time, clock.id);
    clock.frozen_time = input.frozen_time;
    ledger.emit('test_helpers.test_clock.ready', clock);
    // Billing has already run; the response still has the status that Stripe's asynchronous endpoint returns.
    return { ...present(clock, ledger.data), status: 'advancing' };
  }),
  operation('DELETE', `${CLOCKS}/:id`, {}, ({ path, ledger }) => {
    const { id } = ledger.find('test_clock', path.id, 'id');
    for (const customer of ledger.all('customer')) if (customer.test_clock === id) deleteCustomer(ledger, customer.id);
    delete ledger.data.objects.test_clock[id];
    return { id, object: 'test_helpers.test_clock', deleted: true };
  }),
];

/**
 * Returns the latest time that a clock may advance to: two intervals
 * of its shortest subscription; unlimited without one.
 */
function maxTime(ledger: Ledger, clock: string, from: number): number {
  const limits = ledger
    .all('subscription')
    .filter(({ test_clock }) => test_clock === clock)
    .flatMap(({ _items }) => _items.map(({ price }) => recurringOf(stored(ledger.data, 'price', price))))
    .map(({ interval, interval_count }) => addIntervals(from, interval, 2 * interval_count));
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}
