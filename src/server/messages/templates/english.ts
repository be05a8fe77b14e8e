import { englishRequest, englishTime, shortEnglishRequest } from './format-time.ts';
import type { EmailContent, PatientEmail, PatientSms, PatientTemplates } from './patient-templates.ts';

const IGNORE =
  'If this was not you, ignore this email: nothing happens without the code. Do not share the code with anyone.';

const pausedText = (needs: 'password' | 'clinic', clinic: string): string =>
  needs === 'password'
    ? 'To sign in again, use your password: you will be asked for a new one.'
    : `To sign in again, please contact ${clinic}: the team makes sure that it is you, and helps.`;

function mail(message: PatientEmail, clinic: string, timeZone: string): EmailContent {
  const request = 'asked' in message && message.asked ? englishRequest(message.asked, timeZone) : null;
  const hint = request ? { hint: `It was asked for ${request}.` } : {};
  const repeatNote = request ? `It was asked for again ${request}. ` : '';
  switch (message.kind) {
    case 'confirmation_code':
      return {
        subject: `${clinic}: confirm your email address`,
        before: 'Use this code to confirm your email address. It works for 24 hours.',
        ...(request && { hint: `It belongs to the sign-up ${request}, and works only there.` }),
        code: message.code,
        after: IGNORE,
      };
    case 'reset_code':
      return {
        subject: `${clinic}: set a new password`,
        before: 'Use this code to set a new password. It works for 5 minutes.',
        ...(request && { hint: `It was asked for ${request}, and works only there.` }),
        code: message.code,
        after: IGNORE,
      };
    case 'email_code':
      return {
        subject: `${clinic}: confirm your new email address`,
        before: 'Use this code to sign in with this email address from now on. It works for 24 hours.',
        ...(request && { hint: `It was asked for ${request}, and works only there.` }),
        code: message.code,
        after: IGNORE,
      };
    case 'proof_code':
      return {
        subject: `${clinic}: confirm that it is you`,
        before: `Someone who is signed in to your account at ${clinic} wants to change its email address or phone number. If it is you, use this code. It works for 5 minutes.`,
        ...hint,
        code: message.code,
        after: `If this is not you, do not share the code with anyone, and tell ${clinic}: nothing changes without it.`,
      };
    case 'invitation':
      return {
        subject: `${clinic} invites you`,
        before: `${clinic} has set up an account for you. Open this page, and choose a password of your own:`,
        url: message.url,
        hint: `It asks for this temporary password, which works until ${englishTime(message.until, timeZone)}:`,
        code: message.code,
        after: `${repeatNote}If you did not expect this, ignore this email. Do not share the password with anyone.`,
      };
    case 'email_helped':
      return {
        subject: `${clinic}: choose a new password`,
        before: `The team of ${clinic} helps you to sign in again, from now on with this email address. Open this page, and choose a password of your own:`,
        url: message.url,
        hint: `It asks for this temporary password, which works until ${englishTime(message.until, timeZone)}:`,
        code: message.code,
        after: `${repeatNote}If you did not ask for this, tell ${clinic}. Do not share the password with anyone.`,
      };
    case 'already_signed_up':
      return {
        subject: `${clinic}: you have an account already`,
        before: `Someone asked for a new account at ${clinic} with this email address, but there is one already.`,
        ...hint,
        after: 'If it was you, sign in, or set a new password if you have forgotten it. Nothing was changed.',
      };
    case 'no_account':
      return {
        subject: `${clinic}: no code for this address`,
        before: `Someone asked for a code of ${clinic} with this email address, but there is no account that needs one.`,
        ...hint,
        after: 'If it was you, try another address or sign up. If it was not you, ignore this email.',
      };
    case 'email_in_use':
      return {
        subject: `${clinic}: this address is in use`,
        before: `Someone wanted to use this email address for another account at ${clinic}.`,
        ...hint,
        after: `It belongs to your account already, so nothing was changed. If you have no way to sign in yet, ask ${clinic} to invite you.`,
      };
    case 'sign_up_elsewhere':
      return {
        subject: `${clinic}: no code for this device`,
        before: `Someone asked for a code of ${clinic} on a device that has not signed up with this email address.`,
        ...hint,
        after:
          'If it was you, use the device where you signed up, or sign up again on this one. If it was not you, ignore this email.',
      };
    case 'confirm_first':
      return {
        subject: `${clinic}: confirm your email address first`,
        before: `Someone asked for a new password at ${clinic}, but the sign-up with this email address has not been confirmed yet, so there is none to replace.`,
        ...hint,
        after:
          'If it was you, use the code of your sign-up, or sign up again with a password of your choice. If it was not you, ignore this email.',
      };
    case 'sign_in_closed':
      return {
        subject: `${clinic}: many wrong passwords`,
        before: `Someone tried many wrong passwords for your account at ${clinic}. None of them was right. To protect it, your password now works only on devices that you have used before. To sign in on a new one, open this page there, or on the same Wi-Fi:`,
        url: message.url,
        after:
          'The page works once, for 3 days. Setting a new password in the app works too. If you have no new device, there is nothing to do.',
      };
    case 'sign_in_tried':
      return {
        subject: `${clinic}: someone tried to sign in`,
        before: `Someone tried many passwords at ${clinic} with this email address, but there is no account with it.`,
        after: 'If it was you, try another address or sign up. If it was not you, ignore this email.',
      };
    case 'codes_stopped':
      return {
        subject: `${clinic}: your code could not be sent`,
        before: `A code to sign in was asked for, but your phone once answered STOP to the number that sends our codes, so it gets none. To get them again, text START from your phone to ${message.sender ?? 'the number that sent your last code'}. Then ask for a new code.`,
        after: 'If you did not ask for a code, there is nothing to do.',
      };
    case 'password_changed':
      return {
        subject: `${clinic}: your password was changed`,
        before: `The password of your account at ${clinic} was changed, and other devices were signed out.`,
        after: `If this was not you, set a new password now and tell ${clinic}.`,
      };
    case 'email_asked':
      return {
        subject: `${clinic}: confirm your new email address`,
        before: `${clinic} wants to use this email address for your account from now on. If it is yours, open this page and confirm it:`,
        url: message.url,
        after: `The page works until ${englishTime(message.until, timeZone)}. If you did not ask for this, ignore this email: nothing changes.`,
      };
    case 'email_changed':
      return {
        subject: `${clinic}: your email address was changed`,
        before: `Your account at ${clinic} has a new email address; this one is no longer used.${message.url ? ' If this was not you, open this page to undo it:' : ''}`,
        ...(message.url && { url: message.url }),
        ...(request && { hint: `It was changed ${request}.` }),
        after: message.url
          ? 'The page works for 72 hours. If it was you, there is nothing to do.'
          : `If this was not you, tell ${clinic} at once.`,
      };
    case 'change_undone':
      return {
        subject: `${clinic}: a change was undone`,
        before: `A change of the email address of your account at ${clinic} was undone, and all devices were signed out. ${pausedText(message.needs, clinic)}`,
        after: `If you did not want this, tell ${clinic}.`,
      };
    case 'sign_in_paused':
      return {
        subject: `${clinic}: your sign-in is paused`,
        before: `Someone asked to set a new password for your account at ${clinic}. Since a change of its email address or phone number was undone, a code by email cannot do that. ${pausedText(message.needs, clinic)}`,
        after: 'If you did not ask for it, ignore this email: nothing was changed.',
      };
    case 'sign_in_moved':
      return {
        subject: `${clinic}: your sign-in was changed`,
        before: `The team of ${clinic} changed how you sign in to your account: this email address is no longer used for it.`,
        after: `If you did not ask for this, tell ${clinic} at once.`,
      };
  }
}

function text(message: PatientSms, clinic: string): string {
  switch (message.kind) {
    case 'sign_in_code':
      return `${message.code} is your sign-in code for ${clinic}. It works for 5 minutes. Do not share it.`;
    case 'phone_code':
      return `${message.code} is your code to use this number with ${clinic}. It works for 5 minutes. Do not share it.`;
    case 'phone_in_use':
      return `${clinic}: this number already signs in to another account, so no code was sent and nothing was changed.`;
    case 'phone_invitation':
      return message.url
        ? `${clinic} has set up an account for you. Sign in with this phone number: ${message.url}`
        : `${clinic} has set up an account for you. Sign in to its app with this phone number.`;
    case 'payment_link':
      return `${clinic} asks you to set up your payment: ${message.url}`;
    case 'manage_link':
      return `Your subscription with ${clinic}: ${message.url}`;
    case 'phone_helped':
      return `${clinic}: from now on you sign in to the app with this phone number.`;
    case 'proof_code':
      return `${message.code} is your code to change your ${clinic} sign-in. It works for 5 minutes. Not you? Do not share it, and tell us.`;
    case 'phone_changed':
      return message.url
        ? `${clinic}: your account has a new phone number. Not you? Undo it within 72 hours: ${message.url}`
        : `${clinic}: your account has a new phone number; this one is no longer used. Not you? Tell us at once.`;
    case 'change_undone':
    case 'sign_in_paused':
      return message.needs === 'password'
        ? `${clinic}: a change to your account was undone. Sign in with your password: you will be asked for a new one.`
        : `${clinic}: a change to your account was undone and sign-in is paused. Please contact us to sign in again.`;
    case 'sign_in_moved':
      return `${clinic}: our team changed how you sign in; this number is no longer used. Not you? Tell us at once.`;
  }
}

export const ENGLISH: PatientTemplates = {
  language: 'en',
  mail,
  text,
  enterHere: 'Enter it where you asked for it: in the app, or on this page, opened on the same device:',
  requestedBy: (request, timeZone) => `Asked for ${shortEnglishRequest(request, timeZone)}.`,
  questions: (phone) => `Questions? ${phone}`,
};
