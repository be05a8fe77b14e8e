import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import { newId } from '#server/core/ids.ts';
import { publicClients } from '#server/identity/applications/public-client.ts';
import { createStaffUser } from '#server/identity/staff/create-staff-user.ts';
import type { Known } from './arbitrary-request.ts';
import type { Sandbox } from './clinic.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import { ACCOUNT } from './scheduling.ts';
import { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } from './services.ts';
import { signInPatient } from './signed-in.ts';
import { sendAuthRequest, signInToPortal } from './staff-sign-in.ts';

const PASSWORD = 'correct horse battery';
const EMAIL = 'ada@example.test';
const stripe = new Stripe(STRIPE_SECRET_KEY);

export type EndpointSetup = Awaited<ReturnType<typeof createEndpointSetup>>;
export type Sessions = Awaited<ReturnType<EndpointSetup['signIn']>>;

/** Builds the valid values that requests to a clinic's endpoints use, and that the fuzzer starts from. */
export async function createEndpointSetup(clinic: Sandbox) {
  const application = await clinic.application(clinic.ctx);
  const token = await clinic.token(application);
  const offer = await readOffer(clinic, token);
  const target = await makeTarget(clinic, token, offer);
  const known: Known = {
    patientIds: [target.patientId],
    subscriptionIds: [target.subscriptionId],
    paymentIds: [target.paymentId],
    appointmentIds: [target.appointmentId],
    begunIds: [target.appointmentId],
    practitionerIds: [target.practitionerId],
    eventIds: [target.eventId],
    taskIds: [target.taskId],
    webhookIds: [target.webhookId],
    deliveryIds: [target.deliveryId],
    priceIds: [offer.priceId],
    cardIds: [target.cardId],
    pages: [offer.page],
    unknownIds: ['sub_nothing'],
    unmatchedIds: ['00000000-0000-7000-8000-00000000d1f7'],
    messageIds: [target.messageId],
    newPatientIds: [target.patientId],
    accountId: 'acct_another',
    acuity: { userId: 'unknown', apiKey: 'none' },
    numbers: [offer.typeId, offer.times[0]!.calendar_id, 7],
    times: offer.times.map((time) => time.from_date),
  };
  await createStaffUser(clinic.ctx, { email: EMAIL, name: 'Ada Example', role: 'admin', password: PASSWORD });
  const { passwordless, credentials } = await publicClients(clinic.ctx);
  const csrf = await sendAuthRequest(clinic.services, { method: 'GET', path: ['csrf'] });
  return {
    clinic,
    known,
    application,
    otherTokens: [await clinic.impersonate(application, target.patientId), token],
    clientIds: { passwordless, credentials, other: [application.clientId, newId()] },
    emails: [EMAIL, 'unknown@example.test'],
    password: PASSWORD,
    csrf: {
      token: String(csrf.body.csrfToken),
      cookie: csrf.setCookie.map((line) => line.split(';')[0]).join('; '),
    },
    /** Creates sessions for the requests to one endpoint, which may end them. */
    async signIn() {
      const signedIn = await signInToPortal(clinic.services, { email: EMAIL, password: PASSWORD, source: newId() });
      if ('error' in signedIn) throw new Error(`sign-in failed: ${signedIn.error}`);
      const { access_token, refresh_token } = await signInPatient(clinic.ctx, target.patientId);
      return { cookie: signedIn.cookie, accessToken: access_token, refreshToken: refresh_token };
    },
    signStripe: (payload: string) =>
      stripe.webhooks.generateTestHeaderString({ payload, secret: STRIPE_WEBHOOK_SECRET }),
    signAcuity: (payload: string) => createHmac('sha256', ACCOUNT.api_key).update(payload).digest('base64'),
  };
}
