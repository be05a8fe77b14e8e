/** The API steps of the page: `ask` only reads; `act` changes the subscription and shows the confirmation `words`. */
export type Steps = {
  ask: <View>(step: string, more?: object) => Promise<View>;
  act: (step: string, more: object, words: string) => Promise<void>;
};
