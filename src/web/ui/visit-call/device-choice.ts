export type DeviceKind = 'camera' | 'microphone' | 'speaker';
/** The chosen devices, by the browser's device id; stored only on this device. */
export type DeviceChoice = Partial<Record<DeviceKind, string>>;

const KEY = 'visit-devices';

export function readDeviceChoice(): DeviceChoice {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? '{}');
    return typeof stored === 'object' && stored !== null ? (stored as DeviceChoice) : {};
  } catch {
    return {};
  }
}

export function storeDeviceChoice(choice: DeviceChoice): void {
  try {
    window.localStorage.setItem(KEY, JSON.stringify(choice));
  } catch {
    // Without storage the choice is lost after this page.
  }
}
