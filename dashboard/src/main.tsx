import "uplot/dist/uPlot.min.css";
import "./palette.css";
import { render } from "preact";
import { Page } from "./page/page";
import { startConnection } from "./state/connection";
import { startRouting } from "./state/route";
import { startTheme } from "./state/theme";

startTheme();
startRouting();
startConnection();
render(<Page />, document.getElementById("page")!);
