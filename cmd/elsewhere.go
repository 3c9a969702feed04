package cmd

// nothing begins what is said of a flag that has no counterpart at all.
const nothing = "none: "

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
	case "p":
		return "--ports, as in httpx, or --proxy, as in nuclei"
	case "delay":
		return "--host-rate-limit, which is in requests per second"
	case "et", "exclude-templates":
		return "--exclude-id"
	case "ept", "exclude-type":
		return "--type, with the others"
	case "ts", "timestamp":
		return "--jsonl, whose lines have the time"
	case "project":
		return "--resume"
	case "ev", "env-vars":
		return "--var name=value"
	}
	return nowhere(name)
}

// nowhere says why a flag of nuclei or httpx has nothing in its place, "" for any other word.
func nowhere(name string) string {
	switch name {
	case "iserver", "interactsh-server":
		return nothing + "templates that need a call from outside are refused"
	case "headless", "sb", "system-chrome", "ss", "screenshot":
		return nothing + "there is no browser, and templates that need one are refused"
	case "w", "workflows", "code", "dast", "ai", "passive", "as", "automatic-scan":
		return nothing + "HTTP checks, and those of certificates, are what is run"
	case "nt", "new-templates", "it", "include-templates", "itags", "include-tags":
		return nothing + "no template is left out unless a flag says so"
	case "up", "update", "ut", "update-templates", "ud", "update-template-dir":
		return nothing + "templates are what -t names, and updates are the package manager's"
	case "spm", "stop-at-first-match", "pa", "probe-all-ips", "sa", "scan-all-ips", "nf", "no-fallback", "nh", "no-httpx":
		return nothing + "every item runs once, on the scheme and the address that answer first"
	case "favicon", "hash", "jarm", "cname", "asn", "cdn", "bp", "body-preview", "websocket", "http2", "pipeline", "vhost",
		"tls-probe", "tls-grab", "csp-probe", "er", "extract-regex":
		return nothing + "it is not told of an answer; templates can (-t)"
	case "ldp", "ldv", "leave-default-ports":
		return nothing + "the Host of a request and a URL have a port where it is not that of the scheme"
	case "mlc", "mwc", "mfc", "mcdn", "mrt", "mdc", "flc", "fwc", "ffc", "fcdn", "frt", "fdc":
		return nothing + "status, length, text and expression are what results are filtered by"
	}
	return ""
}
