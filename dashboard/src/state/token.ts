// The admin token: for this tab only, forgotten when it closes.
const key = "admin-token";
export const readToken = () => sessionStorage.getItem(key) ?? "";
export const keepToken = (token: string) => sessionStorage.setItem(key, token);
