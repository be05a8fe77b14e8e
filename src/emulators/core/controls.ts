import type { FaultBook } from './faults.ts';
import { type EmulatorRequest, matchPath, type Reply, type Route, type World } from './route.ts';

/**
 * Performs an action that only the provider's side could do. The result becomes the response body.
 * @throws TypeError on invalid input
 */
export type Control<State> = (input: Record<string, unknown>, world: World<State>) => unknown;

export interface Panel<State> {
  name: string;
  world: World<State>;
  faults: FaultBook;
  controls: Record<string, Control<State>>;
  routes: Route<State>[];
  clockMoved(): void;
  reset(): void;
}

export const CONTROL_PREFIX = '/_emulator/';

/**
 * The emulator's control API, which the provider's API does not have. Request and response bodies are JSON.
 *
 * - `GET  /_emulator/state` everything: clock, faults, deliveries, the provider's data
 * - `POST /_emulator/reset` restores the initial state and real time, removes faults
 * - `GET  /_emulator/clock`, `POST /_emulator/clock` `{"advance_seconds": n}` or `{"set": RFC 3339}`; forward only
 * - `GET  /_emulator/faults`, `POST` `{match?: {method?, path?, query?}, kind, times?, holdMs?}`, `DELETE` all
 * - `GET  /_emulator/deliveries`, and `POST /_emulator/trigger` `{"name": "resend", "delivery": id}`
 * - `POST /_emulator/trigger` `{"name": …, …}` runs one of the emulator's own controls
 */
export function controlPanel<State>(panel: Panel<State>) {
  const { world, faults } = panel;
  const clock = () => ({ now: new Date(world.clock.now()).toISOString(), offset_ms: world.clock.offsetMs });

  const controls: Record<string, Control<State>> = {
    resend: ({ delivery }) => {
      const sent = world.webhooks.resend(String(delivery));
      if (!sent) throw new TypeError(`No delivery ${String(delivery)}`);
      return sent;
    },
    ...panel.controls,
  };

  const handlers: Record<string, (body: Record<string, unknown>) => unknown> = {
    'GET state': () => ({
      name: panel.name,
      clock: clock(),
      faults: faults.list(),
      deliveries: world.webhooks.log(),
      state: world.state,
    }),
    'POST reset': () => {
      panel.reset();
      return { reset: true };
    },
    'GET clock': clock,
    'POST clock': ({ advance_seconds, set, ...rest }) => {
      rejectUnknown(rest);
      if (typeof advance_seconds === 'number') world.clock.advance(advance_seconds * 1000);
      else if (typeof set === 'string') world.clock.set(Date.parse(set));
      else throw new TypeError('Give advance_seconds (a number) or set (an RFC 3339 instant)');
      panel.clockMoved();
      return clock();
    },
    'GET faults': () => faults.list(),
    'POST faults': (body) => faults.add(body),
    'DELETE faults': () => {
      faults.clear();
      return [];
    },
    'GET deliveries': () => world.webhooks.log(),
    'POST trigger': ({ name, ...input }) => {
      const control = typeof name === 'string' && Object.hasOwn(controls, name) ? controls[name] : undefined;
      if (!control) throw new TypeError(`No trigger ${String(name)}; there are: ${Object.keys(controls).join(', ')}`);
      return control(input, world);
    },
  };

  const find = (request: EmulatorRequest): (() => Reply | Promise<Reply>) | undefined => {
    const { method, path, body } = request;
    const handler = handlers[`${method} ${path.slice(CONTROL_PREFIX.length)}`];
    if (handler) return async () => ({ status: 200, body: (await handler(body as Record<string, unknown>)) ?? {} });
    for (const route of panel.routes) {
      const params = route.method === method ? matchPath(route.path, path) : null;
      if (params) return () => route.handle({ ...request, params }, world);
    }
    return undefined;
  };

  return async (request: EmulatorRequest): Promise<Reply> => {
    const open = find(request);
    if (!open) {
      const names = [...Object.keys(handlers), ...panel.routes.map(({ method, path }) => `${method} ${path}`)].join(
        ', ',
      );
      return { status: 404, body: { error: `No control ${request.method} ${request.path}; there are: ${names}` } };
    }
    try {
      return await open();
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError)
        return { status: 400, body: { error: error.message } };
      throw error;
    }
  };
}

function rejectUnknown(rest: Record<string, unknown>): void {
  if (Object.keys(rest).length > 0) throw new TypeError(`Unknown: ${Object.keys(rest).join(', ')}`);
}
