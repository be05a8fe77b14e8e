export { lastChoice } from './choice-state.ts';
export { type ChoicesLink, choicesLink } from './choices-link.ts';
export { distributeSignal } from './distribute-signal.ts';
export { handleDeliveryError } from './handle-delivery-error.ts';
export { mayReceive } from './may-receive.ts';
export { recordDeliveryError, recordDeliveryReport } from './record-delivery-error.ts';
export { handleInboundText, type TwilioRequest, verifyTwilioForm } from './twilio-webhook.ts';
