export type DeviceKind = 'camera' | 'microphone' | 'speaker';
/** Which of several the reader chose, by the browser's id for it; kept on this device alone. */
export type DeviceChoice = Partial<Record<DeviceKind, string>>;

const KEY = 'visit-devices';

export function readChoice(): DeviceChoice {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as DeviceChoice) : {};
  } catch {
    return {};
  }
}

export function keepChoice(choice: DeviceChoice): void {
  try {
    window.localStorage.setItem(KEY, JSON.stringify(choice));
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}
