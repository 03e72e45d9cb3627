internal import Glibc

/// Gives files that root makes to the owner of their folder: root may be who restores, and is not who runs the services.
/// SQLite itself gives the files beside a database the owner of the database.
package enum FolderOwner {
    /// Does nothing unless root runs this.
    /// - Parameters:
    ///   - descriptor: of a file that was made just now.
    ///   - path: of this file.
    package static func give(_ descriptor: Int32, at path: String) {
        guard geteuid() == 0 else { return }
        let slash = path.lastIndex(of: "/")
        var folder = stat()
        guard stat(slash.map { String(path[...$0]) } ?? ".", &folder) == 0 else { return }
        // What fails here shows when the service opens the file, with a sentence that names it.
        _ = fchown(descriptor, folder.st_uid, folder.st_gid)
    }
}
