import type { PasswordlessUser } from '#sdk/index.ts';

/** The current screen. Plain data without secrets, so that it can be stored over a reload. */
export type Screen =
  | { at: 'sign-up-by-phone' }
  | { at: 'sign-in-by-phone' }
  | { at: 'enter-code'; waiting: PasswordlessUser }
  | { at: 'sign-up-by-email' }
  | { at: 'confirm-email'; email: string }
  | { at: 'sign-in-by-email'; email?: string; isConfirmed?: true }
  | { at: 'forgotten-password'; email?: string }
  | { at: 'new-password'; email: string }
  | { at: 'replace-password'; email: string }
  | { at: 'profile' }
  | { at: 'change-email'; sentTo?: string }
  | { at: 'change-phone-number'; sentTo?: string }
  | { at: 'change-password' }
  | { at: 'plan' }
  | { at: 'pay'; id: string }
  | { at: 'cancel-plan'; id: string }
  | { at: 'appointments' }
  | { at: 'book'; typeId?: number }
  | { at: 'move'; id: string };

export type Place = Screen['at'];
export type Go = (screen: Screen) => void;

type ScreenInfo = {
  title: string;
  /** The target of the back button; absent on the first screens. */
  back?: Screen;
  /** Whether the screen requires a signed-in user. */
  isInside: boolean;
  /** The files of steps/ that it runs, shown next to it; their imports are listed after them. */
  code: string[];
};

const outside = (title: string, code: string[], back?: Screen): ScreenInfo => ({
  title,
  isInside: false,
  code,
  ...(back && { back }),
});
const inside = (title: string, code: string[], back?: Screen): ScreenInfo => ({
  ...outside(title, code, back),
  isInside: true,
});

export const SCREENS: Record<Place, ScreenInfo> = {
  'sign-up-by-phone': outside('Create your account', ['sign-up-by-phone']),
  'sign-in-by-phone': outside('Welcome back', ['sign-in-by-phone']),
  'enter-code': outside('Enter your code', ['complete-sign-in', 'sign-in-by-phone'], { at: 'sign-in-by-phone' }),
  'sign-up-by-email': outside('Create your account', ['sign-up-by-email']),
  'confirm-email': outside('Confirm your email', ['confirm-sign-up'], { at: 'sign-up-by-email' }),
  'sign-in-by-email': outside('Welcome back', ['sign-in-by-email']),
  'forgotten-password': outside('Forgotten password', ['reset-password'], { at: 'sign-in-by-email' }),
  'new-password': outside('Set a new password', ['reset-password'], { at: 'sign-in-by-email' }),
  'replace-password': outside('Choose a new password', ['replace-password', 'sign-in-by-email'], {
    at: 'sign-in-by-email',
  }),
  profile: inside('Profile', ['profile', 'read-session', 'follow-session', 'sign-out']),
  'change-email': inside('Change email', ['change-email'], { at: 'profile' }),
  'change-phone-number': inside('Change phone number', ['change-phone-number'], { at: 'profile' }),
  'change-password': inside('Change password', ['change-password'], { at: 'profile' }),
  plan: inside('Plan', ['subscribe', 'load-plans', 'load-subscription', 'link-to-manage']),
  pay: inside('Payment', ['confirm-card', 'load-stripe-js', 'wait-until-settled', 'load-subscription'], { at: 'plan' }),
  'cancel-plan': inside('Cancel your plan', ['cancel-subscription'], { at: 'plan' }),
  appointments: inside('Appointments', ['list-appointments', 'cancel-appointment']),
  book: inside('Book an appointment', ['book-appointment', 'list-slots'], { at: 'appointments' }),
  move: inside('Choose another time', ['reschedule-appointment', 'list-slots'], { at: 'appointments' }),
};

/** Returns the address or number that a code was sent to while a screen waits for it. */
export function waitsForCode(screen: Screen): string | null {
  switch (screen.at) {
    case 'enter-code':
      return screen.waiting.phoneNumber;
    case 'confirm-email':
    case 'new-password':
      return screen.email;
    case 'change-email':
    case 'change-phone-number':
      return screen.sentTo ?? null;
    default:
      return null;
  }
}

export const FIRST: Record<'inside' | 'outside', Screen> = {
  inside: { at: 'profile' },
  outside: { at: 'sign-up-by-phone' },
};
