import type { RequestedBy } from '../message.ts';
import { dateAndTime, shortTime } from './format-time.ts';
import type { EmailContent, PatientEmail, PatientSms, PatientTemplates } from './patient-templates.ts';

const IGNORE = 'Si no ha sido usted, ignore este correo: sin el código no pasa nada. No dé el código a nadie.';

const pausedText = (needs: 'password' | 'clinic', clinic: string): string =>
  needs === 'password'
    ? 'Para volver a iniciar sesión, use su contraseña: se le pedirá una nueva.'
    : `Para volver a iniciar sesión, póngase en contacto con ${clinic}: el equipo comprueba que es usted y le ayuda.`;

/** Translates "Firefox on Linux". */
const deviceWords = (device: string): string => device.replace(' on ', ' en ');

function mail(message: PatientEmail, clinic: string, timeZone: string, language: string): EmailContent {
  const formatDate = (at: string) => dateAndTime(at, timeZone, language);
  const spanishRequest = ({ device, at }: RequestedBy) =>
    `desde ${device ? deviceWords(device) : 'un dispositivo que no dijo su nombre'}, el ${formatDate(at)}`;
  const request = 'asked' in message && message.asked ? spanishRequest(message.asked) : null;
  const hint = request ? { hint: `Se pidió ${request}.` } : {};
  const repeatNote = request ? `Se volvió a pedir ${request}. ` : '';
  switch (message.kind) {
    case 'confirmation_code':
      return {
        subject: `${clinic}: confirme su correo electrónico`,
        before: 'Use este código para confirmar su correo electrónico. Es válido durante 24 horas.',
        ...(request && { hint: `Es para la cuenta que se pidió ${request}, y solo sirve allí.` }),
        code: message.code,
        after: IGNORE,
      };
    case 'reset_code':
      return {
        subject: `${clinic}: elija una contraseña nueva`,
        before: 'Use este código para elegir una contraseña nueva. Es válido durante 5 minutos.',
        ...(request && { hint: `Se pidió ${request}, y solo sirve allí.` }),
        code: message.code,
        after: IGNORE,
      };
    case 'email_code':
      return {
        subject: `${clinic}: confirme su nuevo correo electrónico`,
        before:
          'Use este código para iniciar sesión con este correo electrónico de ahora en adelante. Es válido durante 24 horas.',
        ...(request && { hint: `Se pidió ${request}, y solo sirve allí.` }),
        code: message.code,
        after: IGNORE,
      };
    case 'proof_code':
      return {
        subject: `${clinic}: confirme que es usted`,
        before: `Alguien que ha iniciado sesión en su cuenta de ${clinic} quiere cambiar su correo electrónico o su número de teléfono. Si es usted, use este código. Es válido durante 5 minutos.`,
        ...hint,
        code: message.code,
        after: `Si no es usted, no dé el código a nadie y avise a ${clinic}: sin él no cambia nada.`,
      };
    case 'invitation':
      return {
        subject: `${clinic} le invita`,
        before: `${clinic} ha creado una cuenta para usted. Abra esta página y elija su propia contraseña:`,
        url: message.url,
        hint: `La página le pedirá esta contraseña temporal, que es válida hasta el ${formatDate(message.until)}:`,
        code: message.code,
        after: `${repeatNote}Si no esperaba este correo, ignórelo. No dé la contraseña a nadie.`,
      };
    case 'email_helped':
      return {
        subject: `${clinic}: elija una contraseña nueva`,
        before: `El equipo de ${clinic} le ayuda a volver a iniciar sesión, de ahora en adelante con este correo electrónico. Abra esta página y elija su propia contraseña:`,
        url: message.url,
        hint: `La página le pedirá esta contraseña temporal, que es válida hasta el ${formatDate(message.until)}:`,
        code: message.code,
        after: `${repeatNote}Si no lo ha pedido, avise a ${clinic}. No dé la contraseña a nadie.`,
      };
    case 'already_signed_up':
      return {
        subject: `${clinic}: ya tiene una cuenta`,
        before: `Alguien pidió una cuenta nueva de ${clinic} con este correo electrónico, pero ya existe una.`,
        ...hint,
        after: 'Si fue usted, inicie sesión, o elija una contraseña nueva si la ha olvidado. No se ha cambiado nada.',
      };
    case 'no_account':
      return {
        subject: `${clinic}: no hay código para esta dirección`,
        before: `Alguien pidió un código de ${clinic} con este correo electrónico, pero no hay ninguna cuenta que lo necesite.`,
        ...hint,
        after: 'Si fue usted, pruebe con otra dirección o cree una cuenta. Si no fue usted, ignore este correo.',
      };
    case 'email_in_use':
      return {
        subject: `${clinic}: esta dirección ya se usa`,
        before: `Alguien quiso usar este correo electrónico para otra cuenta de ${clinic}.`,
        ...hint,
        after: `Ya pertenece a su cuenta, así que no se ha cambiado nada. Si todavía no puede iniciar sesión, pida a ${clinic} que le invite.`,
      };
    case 'sign_up_elsewhere':
      return {
        subject: `${clinic}: no hay código para este dispositivo`,
        before: `Alguien pidió un código de ${clinic} en un dispositivo en el que nadie ha creado una cuenta con este correo electrónico.`,
        ...hint,
        after:
          'Si fue usted, use el dispositivo en el que creó la cuenta, o vuelva a crearla en este. Si no fue usted, ignore este correo.',
      };
    case 'confirm_first':
      return {
        subject: `${clinic}: confirme primero su correo electrónico`,
        before: `Alguien pidió una contraseña nueva de ${clinic}, pero la cuenta con este correo electrónico todavía no se ha confirmado, así que no hay ninguna que cambiar.`,
        ...hint,
        after:
          'Si fue usted, use el código que recibió al crear la cuenta, o vuelva a crearla con la contraseña que quiera. Si no fue usted, ignore este correo.',
      };
    case 'sign_in_closed':
      return {
        subject: `${clinic}: muchas contraseñas incorrectas`,
        before: `Alguien probó muchas contraseñas incorrectas en su cuenta de ${clinic}. Ninguna acertó. Para protegerla, su contraseña ahora solo funciona en los dispositivos que ya ha usado. Para iniciar sesión en uno nuevo, abra esta página en él, o en la misma red wifi:`,
        url: message.url,
        after:
          'La página funciona una vez, durante 3 días. También puede elegir una contraseña nueva en la aplicación. Si no tiene un dispositivo nuevo, no tiene que hacer nada.',
      };
    case 'sign_in_tried':
      return {
        subject: `${clinic}: alguien intentó iniciar sesión`,
        before: `Alguien probó muchas contraseñas en ${clinic} con este correo electrónico, pero no hay ninguna cuenta con él.`,
        after: 'Si fue usted, pruebe con otra dirección o cree una cuenta. Si no fue usted, ignore este correo.',
      };
    case 'codes_stopped':
      return {
        subject: `${clinic}: no se pudo enviar su código`,
        before: `Se pidió un código para iniciar sesión, pero su teléfono respondió una vez STOP al número que envía nuestros códigos, así que no recibe ninguno. Para volver a recibirlos, envíe START desde su teléfono al ${message.sender ?? 'número que envió su último código'}. Después, pida otro código.`,
        after: 'Si no pidió ningún código, no tiene que hacer nada.',
      };
    case 'password_changed':
      return {
        subject: `${clinic}: se cambió su contraseña`,
        before: `Se cambió la contraseña de su cuenta de ${clinic}, y se cerró la sesión en los demás dispositivos.`,
        after: `Si no fue usted, elija ahora una contraseña nueva y avise a ${clinic}.`,
      };
    case 'email_asked':
      return {
        subject: `${clinic}: confirme su nuevo correo electrónico`,
        before: `${clinic} quiere usar este correo electrónico para su cuenta de ahora en adelante. Si es suyo, abra esta página y confírmelo:`,
        url: message.url,
        after: `La página funciona hasta el ${formatDate(message.until)}. Si no lo ha pedido, ignore este correo: no cambia nada.`,
      };
    case 'email_changed':
      return {
        subject: `${clinic}: se cambió su correo electrónico`,
        before: `Su cuenta de ${clinic} tiene un correo electrónico nuevo; este ya no se usa.${message.url ? ' Si no fue usted, abra esta página para deshacerlo:' : ''}`,
        ...(message.url && { url: message.url }),
        ...(request && { hint: `Se cambió ${request}.` }),
        after: message.url
          ? 'La página funciona durante 72 horas. Si fue usted, no tiene que hacer nada.'
          : `Si no fue usted, avise a ${clinic} enseguida.`,
      };
    case 'change_undone':
      return {
        subject: `${clinic}: se deshizo un cambio`,
        before: `Se deshizo un cambio del correo electrónico de su cuenta de ${clinic}, y se cerró la sesión en todos los dispositivos. ${pausedText(message.needs, clinic)}`,
        after: `Si no lo quería, avise a ${clinic}.`,
      };
    case 'sign_in_paused':
      return {
        subject: `${clinic}: su inicio de sesión está en pausa`,
        before: `Alguien pidió elegir una contraseña nueva para su cuenta de ${clinic}. Desde que se deshizo un cambio de su correo electrónico o de su número de teléfono, un código por correo no basta para eso. ${pausedText(message.needs, clinic)}`,
        after: 'Si no lo ha pedido, ignore este correo: no se ha cambiado nada.',
      };
    case 'sign_in_moved':
      return {
        subject: `${clinic}: se cambió su inicio de sesión`,
        before: `El equipo de ${clinic} cambió cómo inicia sesión en su cuenta: este correo electrónico ya no se usa para eso.`,
        after: `Si no lo ha pedido, avise a ${clinic} enseguida.`,
      };
  }
}

/** Without á, í, ó and ú: one of them would make a text message cost two parts, and people omit them when texting. */
function text(message: PatientSms, clinic: string): string {
  switch (message.kind) {
    case 'sign_in_code':
      return `${message.code} es su clave para entrar en ${clinic}. Vale 5 minutos. No la comparta con nadie.`;
    case 'phone_code':
      return `${message.code} es su clave para usar este numero con ${clinic}. Vale 5 minutos. No la comparta con nadie.`;
    case 'phone_in_use':
      return `${clinic}: este numero ya se usa en otra cuenta. No se ha enviado ninguna clave ni se ha cambiado nada.`;
    case 'phone_invitation':
      return message.url
        ? `${clinic} le ha creado una cuenta. Entre con este numero de celular: ${message.url}`
        : `${clinic} le ha creado una cuenta. Entre en su app con este numero de celular.`;
    case 'payment_link':
      return `${clinic} le pide que prepare su pago: ${message.url}`;
    case 'manage_link':
      return `Su suscripcion con ${clinic}: ${message.url}`;
    case 'phone_helped':
      return `${clinic}: de ahora en adelante, entre en la app con este numero de celular.`;
    case 'proof_code':
      return `${message.code} es su clave para cambiar su acceso a ${clinic}. Vale 5 minutos. Si no es usted, no la comparta y avise.`;
    case 'phone_changed':
      return message.url
        ? `${clinic}: su cuenta tiene otro numero. Si no fue usted, puede deshacerlo durante 72 horas: ${message.url}`
        : `${clinic}: su cuenta tiene otro numero; este ya no se usa. Si no fue usted, avise enseguida.`;
    case 'change_undone':
    case 'sign_in_paused':
      return message.needs === 'password'
        ? `${clinic}: se deshizo un cambio de su cuenta. Entre con su contraseña.`
        : `${clinic}: se deshizo un cambio de su cuenta y su acceso queda en pausa. Hable con la clinica para volver a entrar.`;
    case 'sign_in_moved':
      return `${clinic}: el equipo ha cambiado su forma de entrar; este numero ya no se usa. Si no lo ha pedido, avise enseguida.`;
  }
}

export const SPANISH: PatientTemplates = {
  language: 'es',
  mail,
  text,
  enterHere: 'Escríbalo donde lo pidió: en la aplicación, o en esta página, abierta en el mismo dispositivo:',
  requestedBy: ({ device, at }, timeZone, language) =>
    `Se pidio a las ${shortTime(at, timeZone, language)}${device ? ` desde ${deviceWords(device)}` : ''}.`,
  questions: (phone) => `Preguntas: ${phone}`,
};
