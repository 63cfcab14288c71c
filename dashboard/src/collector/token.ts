// Tokens are kept for this tab only, forgotten when it closes, sent as a header and never part of an address.
import { Observable } from "../observable";

const admin = "admin-token";
export const readToken = () => sessionStorage.getItem(admin) ?? "";
export const keepToken = (token: string) => sessionStorage.setItem(admin, token);

const reader = "read-token";
/** The token for reading where reading is closed, or empty if this tab has none. */
export const readerToken = new Observable(sessionStorage.getItem(reader) ?? "");
export function keepReaderToken(token: string): void {
  sessionStorage.setItem(reader, token);
  readerToken.value = token;
}

/** Whether the collector has refused this tab for want of a token. */
export const locked = new Observable(false);

export function signOut(): void {
  sessionStorage.removeItem(reader);
  sessionStorage.removeItem(admin);
  readerToken.value = "";
  locked.value = true;
}
