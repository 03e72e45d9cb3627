package import Settings
import Vocabulary

extension SettingsReader {
    /// A list of host names, in lower case; empty if it is not set.
    package mutating func hostNames(_ setting: Setting, example: String) -> Set<String> {
        let hosts = list(setting, default: [], example: example)
        for host in hosts where !WebURL.isHostName(host) {
            addIssue(
                setting, "has \"\(LogEscaping.escaped(host, maximumBytes: 100))\", which is not a host name",
                remedy: "Write it like \(example), without scheme and port")
        }
        return Set(hosts.map(\.asciiLowercased))
    }
}
