package cmd

// elsewhere says what does the work of a flag of nuclei or httpx that has no counterpart of one name, "" for any other word.
func elsewhere(name string) string {
	switch name {
	case "se", "sarif-export":
		return "--report sarif=FILE"
	case "me", "markdown-export":
		return "--report markdown=FILE"
	case "je", "json-export", "jle", "jsonl-export":
		return "--report jsonl=FILE"
	case "csv":
		return "--report csv=FILE"
	case "rlm", "rate-limit-minute":
		return "--rate-limit, which is per second"
	case "bs", "bulk-size":
		return "--concurrency, which is for all hosts together"
	case "nmhe", "no-mhe":
		return "--max-host-error 0"
	case "sr", "sresp", "store-resp", "store-response":
		return "--store-responses FOLDER"
	case "debug":
		return "--debug-requests or --debug-responses"
	case "td", "tech-detect":
		return "-t with templates that tell technologies"
	case "iserver", "interactsh-server":
		return "none: templates that need a call from outside are refused"
	case "headless":
		return "none: templates that need a browser are refused"
	}
	return ""
}
