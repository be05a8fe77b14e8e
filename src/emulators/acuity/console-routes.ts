import type { Reply } from '../core/reply.ts';
import type { EmulatorRequest, Route } from '../core/route.ts';
import type { World } from '../core/world.ts';
import { bookAppointment } from './book-appointment.ts';
import type { Call } from './call.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { consolePage } from './console-page.ts';
import { refusal } from './errors.ts';
import { appointmentOf } from './look-up.ts';
import type { Values } from './params.ts';
import type { AcuityState } from './state.ts';

const OWNER = { admin: true, noEmail: true };
const BACK: Reply = { status: 303, headers: { location: '/' } };

/** The owner's console at `/`: bookings made and canceled by hand, so outside the product's knowledge. */
export const CONSOLE_ROUTES: Route<AcuityState>[] = [
  {
    method: 'GET',
    path: '/',
    handle: (_request, { state, clock }) => ({
      status: 200,
      body: consolePage(Object.values(state.accounts), clock.now()),
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
      },
    }),
  },
  {
    method: 'POST',
    path: '/console/:userId/appointments',
    handle(request, world) {
      bookAppointment(callOf(request, world), request.body as Values, OWNER);
      return BACK;
    },
  },
  {
    method: 'POST',
    path: '/console/:userId/appointments/:id/cancel',
    handle(request, world) {
      const call = callOf(request, world);
      cancelAppointment(call, appointmentOf(call, request.params.id), {}, OWNER);
      return BACK;
    },
  },
];

function callOf({ params }: EmulatorRequest, world: World<AcuityState>): Call {
  const { userId = '' } = params;
  const account = Object.hasOwn(world.state.accounts, userId) ? world.state.accounts[userId] : undefined;
  if (!account) throw refusal('not_found');
  return { account, now: world.clock.now(), world };
}
