import Glibc

/// Changes the owner of files that root creates to the owner of their directory: root may run a restore, but does not
/// run the services. SQLite itself gives the files beside a database the owner of the database.
package enum FolderOwner {
    /// Does nothing unless the process runs as root.
    /// - Parameters:
    ///   - descriptor: of the file that was just created.
    ///   - path: of this file.
    package static func give(_ descriptor: Int32, at path: String) {
        guard geteuid() == 0 else { return }
        let slash = path.lastIndex(of: "/")
        var folder = stat()
        guard stat(slash.map { String(path[...$0]) } ?? ".", &folder) == 0 else { return }
        // If this fails, the service reports the file when it opens it.
        _ = fchown(descriptor, folder.st_uid, folder.st_gid)
    }
}
