import { html } from '../core/html.ts';
import { Refusal, type Reply } from '../core/reply.ts';
import type { EmulatorRequest, Route } from '../core/route.ts';
import type { World } from '../core/world.ts';
import type { Call } from './call.ts';
import { ACTIONS, type Action } from './console-actions.ts';
import { frame } from './console-frame.ts';
import { consoleIndex, consolePage } from './console-page.ts';
import type { Values } from './params.ts';
import type { AcuityState } from './state.ts';

const unknown = () => frame('There is no such account', html`<p><a href="/">All accounts</a></p>`, 404);

/**
 * The account owner's console: `/` lists the accounts, `/console/{userId}` shows one. Its actions
 * simulate changes made in Acuity without the product's knowledge. Errors are shown on the page.
 */
export const CONSOLE_ROUTES: Route<AcuityState>[] = [
  { method: 'GET', path: '/', handle: (_request, world) => consoleIndex(world) },
  {
    method: 'GET',
    path: '/console/:userId',
    handle: (request, world) => {
      const call = callOf(request, world);
      return call ? consolePage(call.account, world) : unknown();
    },
  },
  ...Object.entries(ACTIONS).map(
    ([path, action]): Route<AcuityState> => ({
      method: 'POST',
      path: `/console/:userId/${path}`,
      handle: (request, world) => carryOut(request, world, action),
    }),
  ),
];

function carryOut(request: EmulatorRequest, world: World<AcuityState>, action: Action): Reply {
  const call = callOf(request, world);
  if (!call) return unknown();
  try {
    const part = action(call, request.body as Values, request.params);
    return { status: 303, headers: { location: `/console/${call.account.userId}#${part}` } };
  } catch (error) {
    return consolePage(call.account, world, sentenceOf(error));
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) return (error.reply.body as { message: string }).message;
  if (error instanceof TypeError) return error.message;
  throw error;
}

function callOf({ params }: EmulatorRequest, world: World<AcuityState>): Call | null {
  const { userId = '' } = params;
  const account = Object.hasOwn(world.state.accounts, userId) ? world.state.accounts[userId] : undefined;
  return account ? { account, now: world.clock.now(), world } : null;
}
