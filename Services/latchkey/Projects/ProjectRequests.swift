internal import Bus
internal import Contracts
internal import Vocabulary

/// The requests of the commands about projects and tenants to identity.
struct ProjectRequests: Sendable {
    var listProjects: PeerCall<Identity.ListProjects>
    var createProject: PeerCall<Identity.CreateProject>
    var readConfiguration: PeerCall<Identity.ReadConfiguration>
    var replaceConfiguration: PeerCall<Identity.ReplaceConfiguration>
    var listServiceAccountKeys: PeerCall<Identity.ListServiceAccountKeys>
    var addServiceAccountKey: PeerCall<Identity.AddServiceAccountKey>
    var listTenants: PeerCall<Identity.ListTenants>
    var readTenant: PeerCall<Identity.ReadTenant>
    var createTenant: PeerCall<Identity.CreateTenant>
    var deleteTenant: PeerCall<Identity.DeleteTenant>
}

extension ProjectRequests {
    /// The requests over the bus.
    init(_ client: BusClient) {
        self.init(
            listProjects: client.call(), createProject: client.call(), readConfiguration: client.call(),
            replaceConfiguration: client.call(), listServiceAccountKeys: client.call(),
            addServiceAccountKey: client.call(), listTenants: client.call(), readTenant: client.call(),
            createTenant: client.call(), deleteTenant: client.call())
    }

    /// - Returns: nil without such a project.
    func project(_ id: ProjectID) async throws -> Identity.ProjectSummary? {
        var after: ProjectID?
        repeat {
            let page = try await listProjects(
                Identity.ListProjects(after: after, limit: Identity.ListProjects.maximumCount), .ofOperator())
            if let project = page.projects.first(where: { $0.id == id }) { return project }
            after = page.hasMore ? page.projects.last?.id : nil
        } while after != nil
        return nil
    }
}

extension MeshArguments {
    /// Sends requests to the mesh.
    /// - Throws: `MeshRequestError` for an error of the mesh.
    func withProjectRequests<Result: Sendable>(
        _ body: (ProjectRequests) async throws -> Result
    ) async throws -> Result {
        try await MeshRequestError.wrapping {
            try await withBus { bus in try await body(ProjectRequests(bus)) }
        }
    }
}
