package dsl

import (
	"maps"
	"slices"
)

// functions are all helpers, by their names without underscores.
var functions = merge(textFunctions, hashFunctions, codecFunctions, numberFunctions, timeFunctions, randomFunctions, cryptoFunctions,
	map[string]function{"waitfor": {least: 1, most: 1}}) // see waitCall

// elsewhere are functions of other tools, which checks may well name and which do not exist here: they make payloads for
// particular exploits, ask strangers, or print.
var elsewhere = map[string]bool{
	"generatejavagadget": true, "generatedotnetgadget": true, "publicip": true, "resolve": true, "getnetworkport": true, "jarm": true,
	"llmprompt": true, "cookieunsign": true, "printdebug": true, "ipformat": true, "unpack": true, "wappalyzer": true,
}

func merge(tables ...map[string]function) map[string]function {
	all := map[string]function{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// Functions are the names of all functions, sorted, without underscores.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }
